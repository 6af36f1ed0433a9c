// The findings that attempts share.

import Core
import Testing

@testable import bgfetch

@Suite struct DownloadFindingsTests {
  private let gibibyte: Int64 = 1 << 30

  /// The free bytes of a directory that had some free, as they count a time later; nil if they must be read again.
  private func leastFree(_ free: Int64, after milliseconds: Int64) -> Int64? {
    var notes = DownloadFindings(wasUsed: true)
    notes.record(ByteCount(free), at: 5000)
    return notes.leastSpace(at: 5000 + milliseconds)?.bytes
  }

  @Test func `the space of a directory counts for a second, without what may arrive in it`() {
    #expect(leastFree(100 * gibibyte, after: 0) == 96 * gibibyte)
    #expect(leastFree(100 * gibibyte, after: 999) == 96 * gibibyte)
    #expect(leastFree(100 * gibibyte, after: 1000) == nil)
    #expect(leastFree(gibibyte, after: 0) == 0)
    #expect(DownloadFindings(wasUsed: true).leastSpace(at: 0) == nil)
  }
}
