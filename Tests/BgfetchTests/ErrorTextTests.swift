import Glibc
import Host
import Testing

@testable import bgfetch

@Suite struct ErrorTextTests {
  @Test func `a system that gives no thread is no fault of the program's own`() {
    let (lines, status) = errorText(SystemError(code: EAGAIN))

    #expect(status == .storage)
    #expect(
      lines == [
        "bgfetch: a system resource is exhausted: Resource temporarily unavailable; see ulimit -a, and free"
      ])
  }
}
