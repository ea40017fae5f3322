"""The events of one run."""
import functools

import numpy as np
import pandas as pd


class Trace:
    """The trace of a run: `events` is one row an event, as trace.csv has them, with typed columns."""

    def __init__(self, path, study=None):
        events = pd.read_csv(path, dtype={"event": "category", "message": str, "cause": str, "origin": str,
                                        "detail": str}, float_precision="round_trip")
        for column in ("sequence", "agent", "peer", "bytes", "iteration"):
            events[column] = events[column].astype("Int64")
        for column in ("message", "cause", "origin", "detail"):
            events[column] = events[column].fillna("") if column in events else ""
        self.events = events
        self._study = study

    def __repr__(self):
        return f"Trace({len(self.events)} events, {self.events['time_s'].max():g} s)"

    def of(self, *kinds):
        """The events of some kinds, such as "tick"."""
        return self.events[self.events["event"].isin(kinds)]

    def messages(self):
        """One row a message: message, source, target, sent_s, arrived_s, latency_s, bytes, outcome ("delivered", "lost",
        or "under way" at the end of the trace), reason of a loss, cause of its sending."""
        sent = self.of("send", "publish")
        # One that comes too late arrives and is lost, as stale.
        ended = self.of("deliver", "lose").drop_duplicates("message", keep="last")
        frame = sent[["message", "agent", "peer", "time_s", "bytes", "cause"]].merge(
            ended[["message", "time_s", "event", "detail"]], on="message", how="left", suffixes=("", "_end"))
        outcome = np.where(frame["event"].isna(), "under way",
                           np.where(frame["event"] == "deliver", "delivered", "lost"))
        arrived = frame["time_s_end"].where(outcome == "delivered")
        return pd.DataFrame({
            "message": frame["message"], "source": frame["agent"], "target": frame["peer"],
            "sent_s": frame["time_s"], "arrived_s": arrived, "latency_s": arrived - frame["time_s"],
            "bytes": frame["bytes"], "outcome": outcome,
            "reason": frame["detail"].where(outcome == "lost", "").fillna(""), "cause": frame["cause"]})

    def causes(self, sequence):
        """The chain of events that led to one, from the first to that one, as rows of `events`."""
        rows = self.events.set_index("sequence", drop=False)
        if sequence not in rows.index:
            raise KeyError(f"the trace has no event {sequence}")
        chain = [rows.loc[sequence]]
        while (origin := self._origin(chain[0])) is not None:
            chain.insert(0, rows.loc[origin])
        return pd.DataFrame(chain)

    @functools.cached_property
    def _places(self):
        """Number of the event of a name: of a message its sending, and by (name, receiver) its arrival."""
        found = {}
        for row in self.events.itertuples():
            if row.event in ("send", "publish"):
                found.setdefault(row.message, row.sequence)
            elif row.event == "deliver":
                found.setdefault((row.message, row.agent), row.sequence)
            elif row.event in ("tick", "timer", "computed", "event"):
                found.setdefault(row.cause, row.sequence)
        return found

    def _origin(self, row):
        """Number of the event that triggered one before it; None for what clocks and the scenario begin."""
        if row["event"] in ("deliver", "lose"):
            found = self._places.get(row["message"])
        else:
            cause = row["origin"] or row["cause"]
            found = self._places.get((cause, row["agent"]), self._places.get(cause))
        return found if found is not None and found < row["sequence"] else None

    def releases(self):
        """One row a release: time_s, agent, release, epsilon, spent, delta."""
        rows = self.of("release")
        numbers = rows["detail"].str.extract(
            r"release=(?P<release>\d+) epsilon=(?P<epsilon>\S+) spent=(?P<spent>\S+) delta=(?P<delta>\S+)")
        return pd.concat([rows[["time_s", "agent"]], numbers.astype(float)], axis=1).reset_index(drop=True)

    def graph(self):
        """The network of the traced point, with the number of messages and losses of the trace on each link."""
        study = self._study
        point = (study.scenario.get("record", {}).get("trace") or {}).get("point", 0)
        network = study.owners[[*study.axes, "network"]].drop_duplicates()["network"].iloc[point]
        if pd.isna(network):
            raise KeyError(f"the network of point {point} is not stored; see the notes of the manifest")
        graph = study.graph(network)
        for row in self.messages().itertuples(index=False):
            edge = graph.edges[int(row.source), int(row.target)]
            edge["messages"] = edge.get("messages", 0) + 1
            edge["lost"] = edge.get("lost", 0) + (row.outcome == "lost")
        return graph
