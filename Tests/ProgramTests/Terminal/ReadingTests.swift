// `bgfetch read` on a real terminal: an article in the pager, and the question before the next one.

import Core
import Foundation
import TestKit
import Testing

/// A person who reads three items: "Title of c", the newest, b and a.
@Suite struct ReadingTests {
  private func program(title: String? = nil) async throws -> BuiltProgram {
    let server = try ScriptedServer()
    let items = ["c", title ?? "b", "a"].map {
      "<item><guid>\($0)</guid><title>Title of \($0)</title></item>"
    }
    server.on("/planet", .document("<rss version=\"2.0\"><channel>\(items.joined())</channel></rss>"))
    let bgfetch = try BuiltProgram(server, keys: "first-run: all").keeping(server)
    try await bgfetch("run", status: 0)
    return bgfetch
  }

  /// Reads all items, with a key at each question; returns what the terminal showed.
  private func read(
    _ bgfetch: BuiltProgram, pager: String, keys: [String], status: Int32 = 0,
    location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let window = try #require(Window())
    let program = try bgfetch.startInForeground(
      ["read", "planet"], on: window, environment: ["PAGER": pager])
    for (index, key) in keys.enumerated() {
      let question = "\(index + 2) of 3: "
      let isAsked = await eventually { window.text().contains(question) }
      #expect(isAsked, "no \(question) in: \(window.text())", sourceLocation: location)
      window.press(key)
    }
    #expect(await program.ended() == status, "\(window.text())", sourceLocation: location)
    return window.text()
  }

  /// Pagers that each get one article, keys at the questions, how many articles are shown and seen, and the exit status.
  ///
  /// The shell's parent is the program.
  @Test(
    arguments: [
      ("cat >> \"$HOME/paged\"", ["\r", "\r"], 3, 3, 0), ("cat >> \"$HOME/paged\"", [" ", "x\r"], 3, 3, 0),
      ("cat >> \"$HOME/paged\"", ["q"], 1, 1, 0), ("cat >> \"$HOME/paged\"", ["\r", "Q"], 2, 2, 0),
      ("cat >> \"$HOME/paged\"", ["s", "\r"], 2, 2, 0), ("cat >> \"$HOME/paged\"", ["s", "s"], 1, 1, 0),
      // The keys that end a text and interrupt.
      ("cat >> \"$HOME/paged\"", ["\u{4}"], 1, 1, 0), ("cat >> \"$HOME/paged\"", ["\r", "\u{3}"], 2, 2, 130),
      // An arrow is no answer.
      ("cat >> \"$HOME/paged\"", ["\u{1B}[Bq"], 1, 1, 0),
      // As less after its key ^C, and as one that is not there.
      ("cat >> \"$HOME/paged\"; exit 2", [], 1, 0, 0),
      ("cat >> \"$HOME/paged\"; test $(grep -c ^# \"$HOME/paged\") = 1", ["\r"], 2, 1, 0),
      // The interrupt key is for the pager and the program; some pagers ignore it.
      ("cat >> \"$HOME/paged\"; kill -INT $PPID", [], 1, 0, 130),
      // A pager may be left before all of it is read.
      ("head -n 2 >> \"$HOME/paged\"", ["\r", "\r"], 3, 3, 0),
    ] as [(String, [String], Int, Int, Int32)])
  func `an article is seen when its pager has ended, and a key decides about the next`(
    pager: String, keys: [String], shown: Int, seen: Int, status: Int32
  ) async throws {
    let bgfetch = try await program()

    let text = try await read(bgfetch, pager: pager, keys: keys, status: status)

    let lines = bgfetch.text(of: "paged").split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("#") } == shown)
    #expect(bgfetch.badge == "\(3 - seen)\n")
    guard seen > 0 else { return }
    let items = seen == 1 ? "1 item" : "\(seen) items"
    #expect(text.contains("marked \(items) as seen; bgfetch undo takes that back"))
    let undone = "undone: \(items) of planet \(seen == 1 ? "is" : "are") unseen again, badge 3\n"
    try await bgfetch("undo", prints: undone)
  }

  @Test func `one key leaves less, and the next one stops`() async throws {
    let bgfetch = try await program()
    let window = try #require(Window())

    let program = try bgfetch.startInForeground(
      ["read", "planet"], on: window, environment: ["PAGER": "less -+F"])
    #expect(await eventually { window.text().contains("(END)") })
    // Typed at once, as by a person who wants to leave.
    window.press("qq")

    #expect(await program.ended() == 0)
    #expect(window.text().contains("2 of 3: Title of b. return reads it, s skips it, q stops"))
    #expect(window.text().contains("marked 1 item as seen"))
    #expect(bgfetch.badge == "2\n")
  }

  @Test(arguments: ["", "cat"])
  func `without a pager a terminal still gets one article at a time`(pager: String) async throws {
    let bgfetch = try await program()

    let text = try await read(bgfetch, pager: pager, keys: ["\r", "q"])

    #expect(text.contains("#2"))
    #expect(!text.contains("#1 "))
    #expect(bgfetch.badge == "1\n")
  }

  @Test(arguments: [
    "\u{202E}txet&#10;\u{9B}31m\t", String(repeating: "long ", count: 2000),
    String(repeating: "長", count: 300),
  ])
  func `a question is one line, whatever the title`(title: String) async throws {
    let bgfetch = try await program(title: title)

    let text = try await read(bgfetch, pager: "cat > /dev/null", keys: ["q"])

    let line = try #require(text.split(separator: "\r\n").first { $0.contains("2 of 3: ") })
    #expect(displayWidth(String(line)) <= 80)
    #expect(line.contains("return reads it"))
    #expect(!line.unicodeScalars.contains { $0.value == 0x202E || $0.value < 0x20 })
  }

  @Test func `one article is shown without a question`() async throws {
    let bgfetch = try await program()
    let window = try #require(Window())

    let program = try bgfetch.startInForeground(["read", "2"], on: window, environment: ["PAGER": "cat"])

    #expect(await program.ended() == 0)
    #expect(!window.text().contains("return reads it"))
    #expect(bgfetch.badge == "2\n")
  }
}
