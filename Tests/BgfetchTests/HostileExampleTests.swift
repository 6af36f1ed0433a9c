// Every configuration among the examples, run against feeds that try everything; its hooks are stand-ins that write down
// what they are called with. Nothing of a feed may be run, expanded, taken for an option or for markup, or steer anything.

import Foundation
import TestKit
import Testing

@Suite struct HostileExampleTests {
  /// Each example with the programs that its hooks must call.
  @Test(
    arguments: [
      ("minimal.yaml", ["notify-send"]),
      ("desktop.yaml", ["notify-send", "systemd-run", "yt-dlp", "pkill"]),
      ("hooks.yaml", ["notify-send", "curl", "sendmail"]),
      ("podcasts.yaml", ["podtag", "sendmail"]),
      ("releases.yaml", ["notify-send"]),
      ("server.yaml", ["logger", "call", "iso-arrived", "curl"]),
      ("reference.yaml", ["notify-send"]),
    ])
  func `an example hands over what a hostile feed says and nothing of it is interpreted`(
    example: String, programs: [String]
  ) async throws {
    let desk = try HostileDesk(example)

    // What is there at the first look is no news.
    let first = try await desk.run()
    desk.turnHostile()
    let second = try await desk.run()

    #expect(first.status == 0, "\(first.errors)")
    #expect(second.status == 0, "\(second.errors)")
    let calls = try desk.calls()
    #expect(Set(calls.map(\.program)) == Set(programs))
    for call in calls { check(call) }
    #expect(calls.contains { $0.text.contains("${CANARY}") })
    #expect(desk.owned == [])
    for place in desk.placed { #expect(place.allSatisfy { !"\u{202E}\n\u{1B}".contains($0) }) }
    // Nor is it on the terminal or in the log.
    for text in [second.output, second.errors] { #expect(!text.unicodeScalars.contains(where: steers)) }
  }

  /// The configuration that `bgfetch init` writes, likewise.
  @Test func `the first configuration hands over what a hostile feed says and nothing of it is interpreted`()
    async throws
  {
    for notifier in [true, false] {
      let desk = try HostileDesk(nil, notifier: notifier)
      let first = try await desk.run()
      #expect(first.status == 0, "\(first.errors)")
      desk.turnHostile()
      let run = try await desk.run()

      #expect(run.status == 0, "\(run.errors)")
      let calls = try desk.calls()
      #expect(Set(calls.map(\.program)) == [notifier ? "notify-send" : "tee"])
      #expect(calls.contains { $0.text.contains("${CANARY}") })
      for call in calls { check(call) }
      #expect(desk.owned == [])
    }
  }

  /// Looks through one call of a program.
  private func check(_ call: HostileDesk.Call) {
    #expect(!call.text.contains("leaked"), "\(call)")
    for (index, argument) in call.arguments.enumerated() {
      // The body of a message may have lines.
      let isBody = call.program == "notify-send" && index == call.arguments.count - 1
      #expect(!argument.unicodeScalars.contains { steers($0) && !(isBody && $0 == "\n") }, "\(call)")
    }
    let isBehindOptions = call.arguments.firstIndex(of: "--") ?? call.arguments.count
    #expect(!call.arguments[..<isBehindOptions].contains { $0.hasPrefix("-hostile") }, "\(call)")
    switch call.program {
    case "notify-send":
      let body = call.arguments.last ?? ""
      #expect(!body.unicodeScalars.contains("<"), "\(call)")
      #expect(call.arguments.suffix(3).first == "--", "\(call)")
    case "sendmail":
      let head = call.input.split(separator: "\n\n").first.map { $0.split(separator: "\n") } ?? []
      #expect(head.map { $0.prefix { $0 != ":" } } == ["Subject", "MIME-Version", "Content-Type"], "\(call)")
    case "curl":
      #expect(
        call.arguments.filter { $0.contains("hostile") }.allSatisfy {
          $0.hasPrefix("Title: ") || $0.hasPrefix("Click: ")
        }, "\(call)")
    case "systemd-run":
      #expect(!call.arguments.contains { $0.contains("hostile") || $0.contains("${") }, "\(call)")
    case "yt-dlp":
      #expect(call.arguments.count == 4 && call.arguments[3].hasPrefix("http"), "\(call)")
    default: break
    }
    if call.input.hasPrefix("{") {
      #expect((try? JSONSerialization.jsonObject(with: Data(call.input.utf8))) != nil, "\(call)")
    }
  }
}

/// Whether a terminal could be steered by it, or the order of what stands beside it be changed.
private func steers(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x0A: false
  case ..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
  default: false
  }
}
