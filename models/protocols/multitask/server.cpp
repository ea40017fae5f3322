#include "models/protocols/multitask/server.hpp"

#include "sim/check.hpp"

namespace hearsay::models {

using Eigen::Index;

MultitaskServer::MultitaskServer(ColumnUpdate form, Coupling coupling, double alpha, double h,
                                 const Columns& zero)
    : form_(form), alpha_(alpha), h_(h), prox_(coupling, zero.rows(), zero.cols()), moved_(zero), p_(zero) {
  if (form_ == ColumnUpdate::kAll) s_ = zero;
}

void MultitaskServer::prepare(const Eigen::Ref<const Eigen::VectorXd>& p,
                              Eigen::Ref<Eigen::VectorXd> gradient) const {
  if (form_ == ColumnUpdate::kBlock) gradient = p - alpha_ * gradient;
}

void MultitaskServer::put(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& message) {
  switch (form_) {
    case ColumnUpdate::kAll:
      s_[t] = message;
      moved_ = p_ - alpha_ * s_;
      return;
    case ColumnUpdate::kArrived:
      moved_ = p_;
      moved_[t] -= alpha_ * message;
      return;
    case ColumnUpdate::kBlock:
      moved_[t] = message;
      note_change(t);
      return;
  }
}

void MultitaskServer::clear() {
  s_.setZero();
  moved_.setZero();
  p_.setZero();
  known_ = true;
  changed_ = kMuch;
  prox_.reset();
}

void MultitaskServer::start_at(const Columns& v) {
  moved_ = v;
  changed_ = kMuch;
  prox_.reset();
  step();
}

void MultitaskServer::step() {
  if (changed_ >= 0) {
    prox_.decompose_changed(moved_, changed_, h_);
  } else {
    prox_.decompose(moved_, h_);
  }
  changed_ = form_ == ColumnUpdate::kBlock ? kNothing : kMuch;
  known_ = form_ != ColumnUpdate::kBlock;
  if (known_) prox_.matrix(p_);
}

void MultitaskServer::column(std::size_t t, Eigen::Ref<Eigen::VectorXd> out) const {
  sim::check(known_ || changed_ == kNothing, "P is read between an arrival and its step");
  if (known_) {
    out = p_[t];
  } else {
    prox_.column(static_cast<Index>(t), out);
  }
}

const Columns& MultitaskServer::p() const {
  sim::check(known_ || changed_ == kNothing, "P is read between an arrival and its step");
  if (!known_) prox_.matrix(p_);
  known_ = true;
  return p_;
}

}  // namespace hearsay::models
