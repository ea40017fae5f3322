#include "analysis/figures/bound_data.hpp"

#include "sim/files/csv_table.hpp"

namespace hearsay::analysis {

void add_bounds(StudyData& study, const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return;
  try {
    const sim::CsvTable table({file.string(), file.string()},
                              {.delimiter = ',', .header = sim::HeaderRow::kYes});
    const std::size_t bound = table.column("bound"), of = table.column("of"), value = table.column("value");
    // The points of one bound after those of another, each in their order.
    if (study.study_points == 0 || table.rows() % study.study_points != 0) return;
    std::vector<FigurePoint*> point(study.study_points);
    for (FigurePoint& p : study.points) point[p.number] = &p;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto metric = study.head.metric(table.field(row, of));
      const auto number = sim::parse_number(table.field(row, value));
      FigurePoint* const at = point[row % study.study_points];
      // Without a number the bound does not apply to the point.
      if (at != nullptr && metric && number)
        at->bounds.push_back({std::string(table.field(row, bound)), *metric, *number});
    }
  } catch (const sim::FileError&) {
    for (FigurePoint& point : study.points) point.bounds.clear();
  }
}

}  // namespace hearsay::analysis
