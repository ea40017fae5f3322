#include "scenarios/execution/workers/mpi/rank_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/mpi/environment.hpp>
#include <chrono>
#include <new>
#include <utility>

#include "scenarios/execution/study_difference.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/keys.hpp"

namespace hearsay::scenarios {

namespace {

// Between looks at the messages of rank 0, and between reports while there is work.
constexpr std::chrono::milliseconds kPause{5};

}  // namespace

std::string digest(const Plan& plan) {
  const analysis::StudyPlan study = plan.study();
  std::string text = version_line() + "\n" + study.record_key + "\n" + info_of(study, "trace");
  for (const analysis::StudyPoint& p : study.points)
    text += fmt::format("\n{} {} {}", p.key, p.repetitions, p.described_by);
  return sha256(text);
}

RankWorker::RankWorker(boost::mpi::communicator& world, unsigned processes, Make make)
    : world_(world), processes_(processes), make_(std::move(make)) {}

RankWorker::~RankWorker() {
  stop();
}

void RankWorker::work() {
  for (;;) {
    if (world_.iprobe(0, kOrderTag)) {
      std::string text;
      world_.recv(0, kOrderTag, text);
      const auto order = unpacked<Order>(text);
      if (order.kind == Order::Kind::kEnd) break;
      accept(order);
      continue;
    }
    {
      std::unique_lock lock(mutex_);
      reported_.wait_for(lock, kPause, [&] { return !report_.empty() && tasks_.empty(); });
    }
    send_report();
  }
  stop();
  if (sending_) sending_->wait();
  world_.send(0, kReportTag, packed(Report{.ended = true}));
}

void RankWorker::accept(const Order& order) {
  if (order.kind == Order::Kind::kPlan) return plan(order);
  if (order.kind == Order::Kind::kStop) return stop();
  const std::lock_guard lock(mutex_);
  std::size_t number = order.first;
  for (const PointTask t : order.points) tasks_.push_back({number++, t});
  for (const RunTask t : order.runs) tasks_.push_back({number++, t});
  waiting_ = tasks_.size();
  if (crew_) crew_->ring();
}

void RankWorker::plan(const Order& order) {
  stop();
  stopped_ = false;
  report_ = {.planned = true, .host = boost::mpi::environment::processor_name()};
  try {
    maker_.reset();
    work_.emplace(
        make_({.validation = order.validation, .chosen = order.chosen, .repetitions = order.repetitions}));
    if (digest(work_->plan) != order.digest) {
      throw InputError(
          "has another study than rank 0: are the scenario, its data files and hearsay the same on all "
          "machines?");
    }
    unsigned& threads = work_->threads;
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency() / processes_);
    largest_point(work_->plan, processes_);
    maker_ = std::make_unique<RunMaker>(work_->plan, threads, RunFiles{work_->results, work_->pause},
                                        &stopped_, processes_);
    report_.threads = threads;
    crew_ = std::make_unique<sim::Crew>(threads);
    for (unsigned t = 0; t < threads; ++t) threads_.emplace_back([this] { run_tasks(); });
  } catch (...) {
    report_.failures.push_back({.error = error_of(std::current_exception())});
  }
  send_report();
}

void RankWorker::send_report() {
  if (sending_ && !sending_->test()) return;
  sending_.reset();
  Report report;
  {
    const std::lock_guard lock(mutex_);
    if (report_.empty()) return;
    std::swap(report, report_);
  }
  sending_ = world_.isend(0, kReportTag, packed(report));
}

void RankWorker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    tasks_.clear();
    waiting_ = 0;
  }
  if (crew_) crew_->ring();
  threads_.clear();
  report_ = {};
}

void RankWorker::run_tasks() {
  const sim::Crew::Member member(*crew_);
  for (;;) {
    crew_->help_until([&] { return stopped_ || waiting_ > 0; });
    std::unique_lock lock(mutex_);
    if (stopped_) return;
    if (tasks_.empty()) continue;  // another thread was faster
    const Task task = tasks_.front();
    tasks_.pop_front();
    waiting_ = tasks_.size();
    lock.unlock();
    Report done;
    const auto begin = std::chrono::steady_clock::now();
    run_task(task, done);
    const double busy = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    lock.lock();
    report_.busy += busy;
    std::ranges::move(done.assembled, std::back_inserter(report_.assembled));
    std::ranges::move(done.made, std::back_inserter(report_.made));
    std::ranges::move(done.failures, std::back_inserter(report_.failures));
    if (tasks_.empty()) reported_.notify_one();
  }
}

void RankWorker::run_task(const Task& task, Report& out) {
  try {
    if (const auto* run = std::get_if<RunTask>(&task.what)) {
      out.made.push_back({task.number, maker_->make(*run)});
      out.made.back().run.host = boost::mpi::environment::processor_name();
      return;
    }
    const auto [point, describe] = std::get<PointTask>(task.what);
    maker_->require(point);
    out.assembled.push_back({.task = task.number});
    if (describe) out.assembled.back().description = maker_->describe(point);
  } catch (...) {
    out = {.failures = {{task.number, error_of(std::current_exception())}}};
  }
}

}  // namespace hearsay::scenarios
