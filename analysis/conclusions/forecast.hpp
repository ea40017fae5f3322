#pragma once
// The forecast of a metric at new points from a form fitted to the means of others: how much a coalition of owners
// will pay for privacy, before it learns.
//
// The form is E y = sum_j c_j term_j, c_j >= 0, fitted by fit_constants. Its terms contain the owners' budgets, those of
// "bounds" in an analysis the epsilon of the noise that is added: the constants are the same where these are equal. The
// interval of the mean at a new point, over as many repetitions as at the fitted ones, is Student's for the logarithm,
// with the variance
//
//   v_fit + max(v_residual, v_sampling)
//
//   v_fit       of the logarithm of the form, by the jackknife over repetitions; m - 1 degrees of freedom
//   v_residual  sum_k log(mean_k/form_k)^2/(K - q), K fitted points, q positive constants; K - q degrees
//   v_sampling  mean over the fitted points of the squared relative standard error of a mean; m - 1 degrees
//
// where m is the fewest repetitions of a point, and the degrees of freedom of the sum by Welch and Satterthwaite. max()
// estimates a random effect of variance max(0, v_residual - v_sampling) for what the form misses, plus sampling error,
// by the method of moments (DerSimonian and Laird, "Meta-analysis in clinical trials", 1986). Repetitions that share
// random numbers between points make the residuals smaller and the interval conservative. The interval covers what the
// form misses at the fitted points, not what appears only at new ones.
#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "analysis/conclusions/estimate.hpp"

namespace hearsay::analysis {

struct Forecast {
  std::vector<Estimate> constants;  ///< by term, with jackknife intervals
  double fit_factor = 1;            ///< largest factor between a fitted mean and the form
  double run_low = kNone,
         run_high = kNone;      ///< quartiles of the fitted points' runs over the mean of their point
  std::vector<Estimate> means;  ///< by new point; no interval with one repetition or K = q
};

/// terms and new_terms: points x columns (at most 8), not negative; runs[k][r] as for jackknife(), with positive means.
/// `antithetic`: intervals are those of the means of pairs.
Forecast forecast(const Eigen::MatrixXd& terms, const std::vector<std::vector<double>>& runs,
                  const Eigen::MatrixXd& new_terms, double confidence, bool antithetic = false);

/// How good a forecast is at the points that have been measured.
struct ForecastQuality {
  std::size_t points = 0;
  std::size_t inside = 0;             ///< measured means in their interval
  std::size_t between_quartiles = 0;  ///< forecasts between the quartiles of the point's runs
  double median_factor = kNone, worst_factor = kNone;  ///< at least 1: between measured mean and forecast
};
/// measured[k]: the runs of new point k; empty if it has not run.
ForecastQuality quality_of(const Forecast& forecast, const std::vector<std::vector<double>>& measured);

}  // namespace hearsay::analysis
