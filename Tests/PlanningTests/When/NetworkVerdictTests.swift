import Model
import Planning
import Testing
import Timing

@Suite struct NetworkVerdictTests {
  private static func attempt(_ host: String, _ failure: FetchFailure?) -> HostAttempt {
    HostAttempt(host: host, failure: failure)
  }

  private static let unresolved = FetchFailure.unresolved(host: "", detail: "")
  private static let unreachable = FetchFailure.unreachable(host: "", detail: "")

  @Test(
    arguments: [
      ([], .unknown), ([attempt("a", unresolved)], .unknown),
      ([attempt("a", unresolved), attempt("a", unresolved)], .unknown),
      ([attempt("a", unresolved), attempt("b", unreachable)], .offline),
      ([attempt("a", .connectTimeout(.seconds(10))), attempt("b", .connectTimeout(.seconds(10)))], .offline),
      ([attempt("a", unresolved), attempt("b", nil)], .online),
      ([attempt("a", unresolved), attempt("b", unresolved), attempt("c", .refused(host: "c"))], .online),
      ([attempt("a", unresolved), attempt("b", unresolved), attempt("c", .status(500))], .online),
      ([attempt("a", unresolved), attempt("b", .noSecret(""))], .unknown),
      ([attempt("a", unresolved), attempt("b", .suspended)], .unknown),
    ] as [([HostAttempt], NetworkVerdict)])
  func `offline is two hosts tried and none reached`(attempts: [HostAttempt], verdict: NetworkVerdict) {
    #expect(networkVerdict(attempts, hasRoute: true) == verdict)
  }

  @Test func `no route is offline`() {
    #expect(networkVerdict([], hasRoute: false) == .offline)
  }

  @Test func `what was reached without a route, as on the loopback, is online`() {
    #expect(networkVerdict([Self.attempt("localhost", nil)], hasRoute: false) == .online)
  }
}
