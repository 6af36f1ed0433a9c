// Failures of feeds whose address is a secret.

import Core
import Testing

@Suite struct HiddenHostTests {
  @Test(
    arguments: [
      .unresolved(host: "secret.example", detail: "Could not resolve host: Secret.Example"),
      .unreachable(host: "secret.example", detail: "Failed to connect to SECRET.EXAMPLE port 443"),
      .refused(host: "secret.example"),
      .tls("no certificate matches target host name 'secret.example'"),
      .insecureRedirect("elsewhere.example"), .privateAddress("10.11.12.13"),
    ] as [FetchFailure])
  func `a failure's words name neither the host asked nor the one it led to`(failure: FetchFailure) {
    let text = failure.text(hiding: "secret.example").lowercased()

    #expect(text.contains("***"))
    for host in ["secret.example", "elsewhere.example", "10.11.12.13"] { #expect(!text.contains(host)) }
  }

  @Test func `words say nothing of where a redirect that is not followed leads`() {
    #expect(FetchFailure.badRedirect("token").text.contains("token"))
    #expect(!FetchFailure.badRedirect("token").text(hiding: "secret.example").contains("token"))
  }

  @Test func `words without a host stay as they are`() {
    #expect(FetchFailure.status(404).text(hiding: "secret.example") == FetchFailure.status(404).text)
    #expect(FetchFailure.status(404).text(hiding: "") == FetchFailure.status(404).text)
  }
}
