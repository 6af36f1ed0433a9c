// Posts events to the addresses of hooks.

import Core
import Machine

/// Posts events as JSON.
struct WebhookSender: Sendable {
  let transfers: TransferLoop
  let network: NetworkSettings
  let clock: WallClock

  /// Posts the input of a call; any 2xx means that it was delivered.
  ///
  /// The person wrote the address, so it may be a private one. Redirects are not followed: they could lead anywhere.
  func post(
    _ call: HookCall, to webhook: WebhookSpec, _ secrets: SecretReader, _ environment: [String: String]
  ) async -> HookEnd {
    var values: [String] = []
    var access: FeedAccess?
    // The parts of a secret address, too.
    var hidden: HiddenWords { HiddenWords(values).union(access?.hidden ?? .none) }
    func text(_ value: SecretText, for purpose: String) async throws(FetchFailure) -> String {
      let text = try await secrets.text(value, for: purpose, environment)
      if case .secret = value { values.append(text) }
      return text
    }
    do throws(FetchFailure) {
      guard let address = WebAddress(try await text(webhook.url, for: "webhook.url")) else {
        throw .noSecret("webhook.url: it is not an http or https address")
      }
      access = FeedAccess(address: address)
      if case .secret = webhook.url { access?.isAddressSecret = true }
      let body = Array((call.input ?? "").utf8)
      var request = Request(
        address: address,
        fields: [
          HeaderField("User-Agent", network.userAgent ?? Bgfetch.userAgent),
          HeaderField("Content-Type", "application/json"),
          // The same key at each attempt, so that the receiver can drop duplicates.
          HeaderField("Idempotency-Key", "\"" + call.eventID.filter { $0.isASCII && $0 != "\"" } + "\""),
        ], network: network)
      for header in webhook.headers {
        let value = try await text(header.value, for: "header \(header.name)")
        request.fields.removeAll { $0.isNamed(header.name) }
        request.fields.append(HeaderField(header.name, value))
      }
      if let key = webhook.secret {
        let key = try await text(.secret(key), for: "webhook.secret")
        guard let signature = signature(of: body, key: key) else {
          throw .other("libcrypto cannot sign the event; install libssl3")
        }
        // The same signature as from GitHub and WebSub hubs.
        request.fields.append(HeaderField("X-Hub-Signature-256", "sha256=" + signature))
      }
      request.body = body
      request.network.timeout = call.timeout
      request.wantsBody = false
      return end(try await transfers.fetch(request), hidden)
    } catch {
      switch error {
      case .suspended: return .suspended
      case .timeout: return .timedOut
      default: return .refused(hidden.masked(error.text))
      }
    }
  }

  private func end(_ response: Response, _ hidden: HiddenWords) -> HookEnd {
    switch response.status {
    case 200..<300: return .exited(0, printed: "", errors: "")
    case 300..<400:
      let target = response["Location"].map { " to " + addressText($0) } ?? ""
      return .refused(
        hidden.masked("the server redirected\(target); redirects are not followed, so write the new address"))
    default:
      return .refused(
        "the server answered \(response.status)",
        retryAfter: retryAfter(of: response, receivedAt: clock.now()))
    }
  }
}
