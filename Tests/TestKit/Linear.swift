// Checks that work takes time in proportion to its size, for hostile documents.

import Glibc
public import Testing

/// Expects eight times the work to take about eight times the processor time; quadratic work would take 64 times.
///
/// A measurement that is too long is repeated, because an interrupt may be the cause.
public func expectLinear(
  from size: Int = 8000, sourceLocation: SourceLocation = #_sourceLocation, _ work: (_ size: Int) -> Void
) {
  work(1000)
  var measured: [(small: Int, large: Int)] = []
  while measured.count < 6 {
    let (small, large) = (processorTime { work(size) }, processorTime { work(size * 8) })
    if large < small * 20 + 15_000 { return }
    measured.append((small, large))
  }
  Issue.record("microseconds for work and eight times the work: \(measured)", sourceLocation: sourceLocation)
}

/// The processor time of work on this thread in microseconds; other tests on the same processors do not count.
public func processorTime(_ work: () throws -> Void) rethrows -> Int {
  func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }
  let begun = now()
  try work()
  return now() - begun
}
