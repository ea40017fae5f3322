"""Protocols of the program, written in Python."""
import collections

import numpy as np

import hearsay


class AdPsgd(hearsay.Protocol):
    """AD-PSGD with one exact or private local step."""
    any_model = True
    counts_iterations = True
    step: float = hearsay.option(0.1, min=0, help="Step size.")
    releases: int = hearsay.option(0, min=0, help="Number of releases that budgets are planned for; 0: no privacy.")

    PROPOSAL, DIFFERENCE, REFUSAL, TIMEOUT = range(4)
    NEIGHBOURS = 1  # purpose of draws, as the program has it

    def on_start(self, run):
        self.timeout = run.timeout()
        self.number = [0] * run.agents  # of an agent's last proposal
        self.waits = [False] * run.agents
        self.voided = [0] * run.agents  # number of its last proposal before a crash
        self.updates = [0] * run.agents  # local updates since the proposal
        self.cut = np.zeros((run.agents, run.p))  # what the box has cut off a model
        for i in range(run.agents):
            if run.records(i):
                run.open_account(i, self.releases or None)

    def on_tick(self, i, run):
        proposes = not self.waits[i]
        if proposes:
            self.updates[i] = 0
            self.number[i] += 1
            self.waits[i] = True
            neighbours = run.neighbours(i)
            # One neighbour of several is drawn; a single one is not.
            j = neighbours[run.random(self.NEIGHBOURS, i).index(len(neighbours)) if len(neighbours) > 1 else 0]
            run.send(i, j, self.PROPOSAL, self.number[i], run.model(i))
        else:
            self.updates[i] += 1
        if run.records(i) and run.may_release(i):
            run.compute(i)
            model = run.model(i)
            released = run.release(i, run.gradient(i, model))
            direction = released + run.regulariser_gradient(model)
            moved = model - self.step * direction
            model += moved - model
        self.project(i, run)
        if proposes:
            run.after(i, self.timeout, self.TIMEOUT, self.number[i])
        run.count_iteration()

    def on_message(self, message, run):
        if message.tag == self.PROPOSAL:
            self.answer(message, run)
            return
        i = message.target
        if message.tag == self.DIFFERENCE:
            if message.conversation <= self.voided[i]:
                run.discard(message)
                return
            run.count_staleness(self.updates[i], run.now - message.sent)
            run.model(i)[:] += self.cut[i]
            run.model(i)[:] += message.payload
            self.project(i, run)
        self.end(i, message.conversation)

    def project(self, i, run):
        before = run.model(i).copy()
        run.project(run.model(i))
        self.cut[i] = before - run.model(i)

    def answer(self, message, run):
        j = message.target
        if self.waits[j]:
            run.send(j, message.source, self.REFUSAL, message.conversation)
            return
        run.count_staleness(self.updates[message.source], run.now - message.sent)
        difference = (run.model(j) - message.payload) / 2
        run.model(j)[:] -= difference
        self.project(j, run)
        run.send(j, message.source, self.DIFFERENCE, message.conversation, difference)

    def end(self, i, number):
        if self.waits[i] and number == self.number[i]:
            self.waits[i] = False

    def on_timer(self, i, tag, number, run):
        self.end(i, number)

    def reset(self, i, run):
        self.waits[i] = False
        self.voided[i] = self.number[i]
        self.cut[i] = 0


class CentralAsync(hearsay.Protocol):
    """The asynchronous private central learner: one conversation at a time, requests wait in a queue."""
    hub = True
    counts_iterations = True
    rho: float = hearsay.option(1.0, min=0, open_min=True, help="The step is rho/(T^2 sigma).")

    QUERY, ANSWER, REFUSAL, _OWN, REQUEST, TIMEOUT = range(6)

    def on_start(self, run):
        self.horizon = run.planned_iterations
        self.step = self.rho / (float(self.horizon) * float(self.horizon) * run.strong_convexity)
        self.timeout = run.timeout()
        self.copies = [None] * run.owners
        self.waiting = collections.deque()
        self.number, self.flight = 0, None
        for owner in range(run.owners):
            run.open_account(run.agent_of(owner), self.horizon)

    def copy(self, owner, run):
        held = self.copies[owner]
        return run.model(0) * 0 if held is None else held

    def on_tick(self, i, run):
        if run.may_release(i):
            run.send(i, 0, self.REQUEST)

    def on_message(self, message, run):
        if message.tag == self.REQUEST:
            if self.flight is None:
                self.ask(run.owner(message.source), run)
            else:
                self.waiting.append(run.owner(message.source))
        elif message.tag == self.QUERY:
            owner = message.target
            if not run.may_release(owner):
                run.send(owner, 0, self.REFUSAL, message.conversation)
                return
            run.compute(owner)
            run.send(owner, 0, self.ANSWER, message.conversation,
                     run.release(owner, run.gradient(owner, message.payload)))
        elif self.flight is None or self.flight[0] != message.conversation:
            run.discard(message)
        elif message.tag == self.REFUSAL:
            self.give_up(run)
        else:
            self.update(message, run)

    def on_timer(self, i, tag, number, run):
        if self.flight is not None and self.flight[0] == number:
            self.give_up(run)

    def give_up(self, run):
        self.flight = None
        self.serve_next(run)

    def ask(self, owner, run):
        self.number += 1
        bar = (run.model(0) + self.copy(owner, run)) / 2
        self.flight = self.number, owner, run.iterations
        run.send(0, run.agent_of(owner), self.QUERY, self.number, bar)
        run.after(0, self.timeout, self.TIMEOUT, self.number)

    def update(self, message, run):
        _, owner, begun = self.flight
        n = float(run.owners)
        learner = run.model(0)
        bar = (learner + self.copy(owner, run)) / 2
        regulariser = run.regulariser_gradient(bar)
        share = run.records(run.agent_of(owner)) / run.total_records
        own = bar - n * self.step * (regulariser / (2 * n) + share * message.payload)
        run.project(own)
        self.copies[owner] = own
        moved = bar - (n - 1) / n * self.step * regulariser
        run.project(moved)
        learner[:] = moved
        run.count_staleness(run.iterations - begun, run.now - message.sent)
        self.flight = None
        run.count_iteration()
        if run.iterations < self.horizon:
            self.serve_next(run)

    def serve_next(self, run):
        if self.waiting:
            self.ask(self.waiting.popleft(), run)

    def reset(self, i, run):
        if i == 0:
            self.copies = [None] * run.owners
            self.waiting.clear()
            self.flight = None

    def finished(self, run):
        return run.iterations >= self.horizon or (self.flight is None and not self.waiting and run.all_spent)
