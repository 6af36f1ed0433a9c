// Openings as the store remembers them.

import Core

extension Habit {
  /// Takes in an opening.
  mutating func take(_ moment: OpeningMoment, after last: OpeningMoment?) {
    if let last, moment.at.since(last.at) < Self.oneLook { return }
    if last?.day != moment.day { days += 1 }
    if let index = bins.firstIndex(where: { $0.kind == moment.kind && $0.minute == moment.minute }) {
      bins[index].weight = Self.decayed(bins[index].weight, from: bins[index].at, to: moment.at) + 1
      bins[index].at = moment.at
    } else {
      bins.append(HabitBin(kind: moment.kind, minute: moment.minute, weight: 1, at: moment.at))
    }
  }
}
