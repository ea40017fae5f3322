#pragma once
// The tables of results.sqlite.
//
//   info    what was asked for last: axes, which of them move together (groups), metrics, record key, the scenario,
//           where its files lie
//   point   one a different combination of options: its key, owners, what was said of it
//   study   the points of the study that was run last, in order: number, point, labels, repetitions
//   record  what runs were asked to write down: its key, metrics
//   run     one a (point, repetition, record): how it came out; lost_... as sim::LossReason has them
//   series  one a (run, metric, agent): a double for each time it was looked at
//   mark    one a run: where it stood then, four doubles each: iteration, time_s, vectors, bytes
//   aggregate  in place of series and mark, with record.keep: aggregate. One a (point, record, number of the look,
//              metric, agent): a double for each repetition, in their order. @repetition: which these are;
//              @iteration, @time_s, @vectors, @bytes: where each stood; NaN where a run had ended before
//   scalar  numbers of a point (run is NULL) or of a run
//   timing  one a run: wall time, host, order of finishing
//
// Numbers in BLOBs are little-endian doubles.

namespace hearsay::analysis {

inline constexpr int kStoreVersion = 2;
inline constexpr int kApplicationId = 0x68656172;  // "hear": tells file(1) and us whose database it is

inline constexpr const char* kSchema = R"sql(
CREATE TABLE info (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE point (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, described_by TEXT NOT NULL DEFAULT '',
  owners INTEGER NOT NULL DEFAULT 0, first_owner INTEGER NOT NULL DEFAULT 0,
  fitted_on_private_data TEXT NOT NULL DEFAULT '[]', notes TEXT NOT NULL DEFAULT '[]');
CREATE TABLE study (
  number INTEGER PRIMARY KEY, point INTEGER NOT NULL, labels TEXT NOT NULL, repetitions INTEGER NOT NULL);
CREATE TABLE record (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, metrics TEXT NOT NULL);
CREATE TABLE run (
  id INTEGER PRIMARY KEY, point INTEGER NOT NULL, repetition INTEGER NOT NULL, record INTEGER NOT NULL,
  run_key TEXT NOT NULL, status TEXT NOT NULL, end TEXT NOT NULL, iterations INTEGER NOT NULL, time_s REAL,
  events INTEGER NOT NULL, messages INTEGER NOT NULL, delivered INTEGER NOT NULL, vectors INTEGER NOT NULL,
  bytes INTEGER NOT NULL, fingerprint TEXT NOT NULL, message TEXT NOT NULL,
  UNIQUE (point, repetition, record));
CREATE TABLE series (run INTEGER NOT NULL, metric TEXT NOT NULL, agent INTEGER, data BLOB NOT NULL);
CREATE INDEX series_of_run ON series (run);
CREATE TABLE mark (run INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE aggregate (
  point INTEGER NOT NULL, record INTEGER NOT NULL, number INTEGER NOT NULL, metric TEXT NOT NULL, agent INTEGER,
  data BLOB NOT NULL);
CREATE INDEX aggregate_of_point ON aggregate (point, record);
CREATE TABLE scalar (point INTEGER NOT NULL, run INTEGER, name TEXT NOT NULL, agent INTEGER, value REAL);
CREATE INDEX scalar_of_run ON scalar (run) WHERE run IS NOT NULL;
CREATE INDEX scalar_of_point ON scalar (point) WHERE run IS NULL;
CREATE TABLE timing (
  run INTEGER PRIMARY KEY, wall_s REAL NOT NULL, host TEXT NOT NULL, finished INTEGER NOT NULL);
)sql";

}  // namespace hearsay::analysis
