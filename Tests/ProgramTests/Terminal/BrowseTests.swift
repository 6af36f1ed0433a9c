// `bgfetch browse` on a real terminal: the list in fzf, and the menu.

import Foundation
import TestKit
import Testing

/// A person who browses three items: One, the newest, Two and Three.
private final class Browsing {
  let bgfetch: BuiltProgram
  let window: Window
  private let program: ChildProgram

  /// Starts the program after a run.
  ///
  /// - Parameters:
  ///   - program: its path; nil for the built one.
  ///   - title: the title of the newest item.
  init(
    _ arguments: String..., program: String? = nil, title: String = "One", keys: String = "first-run: all",
    environment: [String: String] = [:]
  ) async throws {
    let server = try ScriptedServer()
    let items = [title, "Two", "Three"].enumerated().map { index, title in
      """
      <item><guid>\(index)</guid><title>\(title)</title><link>https://a.example/\(index)</link>\
      <pubDate>Mon, \(23 - index) Nov 2026 08:00:00 GMT</pubDate><description>Text of \(index)</description></item>
      """
    }
    server.on("/planet", .document("<rss version=\"2.0\"><channel>\(items.joined())</channel></rss>"))
    bgfetch = try BuiltProgram(server, keys: keys).keeping(server)
    try await bgfetch("run", status: 0)
    var path = BuiltProgram.path
    if let program {
      path = bgfetch.home.file(program)
      try bgfetch.makeDirectory((program as NSString).deletingLastPathComponent)
      // A program that another test starts while this process writes the copy could have it open for writing.
      #expect(try await bgfetch.startedShell(["-c", "cp \"$BGFETCH\" \"$0\"", path]).ended().status == 0)
    }
    window = try #require(Window())
    self.program = try bgfetch.startInForeground(
      ["browse"] + arguments, on: window, program: path, environment: environment)
  }

  /// Presses keys, and waits until the terminal shows a text.
  func press(_ keys: String, shows text: String, location: SourceLocation = #_sourceLocation) async {
    window.forget()
    window.press(keys)
    await expect(text, location)
  }

  /// Presses keys, and waits until a new screen of fzf shows a text, and the list with an item at the cursor.
  ///
  /// - Parameter item: the number of the item.
  func press(
    _ keys: String, shows text: String, at item: Int, location: SourceLocation = #_sourceLocation
  ) async {
    let before = screens.count
    window.press(keys)
    let isShown = await eventually {
      let screens = self.screens
      return screens.count > before
        && screens.last.map { $0.contains(text) && $0.contains(";7m\(item) ") } == true
    }
    #expect(isShown, "no \(text), \(item) at the cursor, in: \(screens.last ?? "")", sourceLocation: location)
  }

  /// The texts that the terminal showed, from each change to the alternate screen to the next.
  private var screens: [String] { window.text().components(separatedBy: "\u{1B}[?1049h") }

  /// Waits until the terminal shows a text.
  func expect(_ text: String, _ location: SourceLocation = #_sourceLocation) async {
    let isShown = await eventually { self.window.text().contains(text) }
    #expect(isShown, "no \(text) in: \(window.text())", sourceLocation: location)
  }

  /// Presses keys, and expects that they end the program.
  func end(_ keys: String, status: Int32 = 0) async {
    window.press(keys)
    #expect(await program.ended() == status)
  }

  /// The titles of the items that an option chooses, in the order of the list.
  func titles(_ option: String) async throws -> [String] {
    try await bgfetch("items", option, "--format", "{item.title}").lines
  }
}

private let down = "\u{1B}[B"
private let escape = "\u{1B}"

/// A key with Ctrl.
private func control(_ letter: Character) -> String {
  String(UnicodeScalar((letter.asciiValue ?? 0) & 0x1F))
}

@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fzf"), "fzf is not installed"))
struct FzfListTests {
  /// The beginning of the list in fzf.
  private let head = "Enter read"

  @Test func `Enter reads an item, which is seen then, and comes back to it`() async throws {
    let browsing = try await Browsing()
    await browsing.expect("3/3")

    await browsing.press(down + "\r", shows: "(END)")
    await browsing.press("q", shows: head, at: 2)
    #expect(browsing.bgfetch.badge == "2\n")
    await browsing.press(control("s"), shows: "1 item unseen, badge 3", at: 2)

    await browsing.end(escape)
    #expect(try await browsing.titles("--unseen") == ["One", "Two", "Three"])
  }

  @Test func `the interrupt key in the pager goes back to the list, and the item stays unseen`() async throws
  {
    let browsing = try await Browsing()
    await browsing.expect("3/3")

    await browsing.press("\r", shows: "(END)")
    await browsing.press(control("c"), shows: head, at: 3)

    await browsing.end(escape)
    #expect(browsing.bgfetch.badge == "3\n")
  }

  @Test func `marks are for the item at the cursor, also in a list of matches`() async throws {
    let browsing = try await Browsing()
    await browsing.expect("3/3")

    await browsing.press("e$", shows: "2/3")
    await browsing.press(down + control("t"), shows: "1 item starred", at: 1)
    await browsing.press(control("s"), shows: "1 item seen, badge 2", at: 1)
    await browsing.press(control("s"), shows: "1 item unseen, badge 3", at: 1)
    await browsing.press(control("t"), shows: "1 item no longer starred", at: 1)
    await browsing.press(control("t"), shows: "1 item starred", at: 1)
    await browsing.press(control("s"), shows: "1 item seen, badge 2", at: 1)

    await browsing.end(escape)
    #expect(try await browsing.titles("--starred") == ["Three"])
    #expect(try await browsing.titles("--unseen") == ["One", "Two"])
  }

  @Test func `the last mark as seen is undone, if it is not by its own key`() async throws {
    let browsing = try await Browsing()
    await browsing.expect("3/3")

    await browsing.press(control("z"), shows: "nothing more to undo", at: 3)
    await browsing.press(control("s"), shows: "1 item seen, badge 2", at: 3)
    await browsing.press(control("z"), shows: "undone: 1 item of planet is unseen again, badge 3", at: 3)
    await browsing.press(control("s"), shows: "1 item seen, badge 2", at: 3)
    await browsing.press(control("s"), shows: "1 item unseen, badge 3", at: 3)
    await browsing.press(control("z"), shows: "nothing more to undo", at: 3)
    await browsing.end(escape)
  }

  @Test func `with the oldest first, the browser gets the oldest`() async throws {
    let browsing = try await Browsing(environment: ["DISPLAY": ":99", "BROWSER": "touch"])
    await browsing.expect("3/3")

    await browsing.press(control("r"), shows: head, at: 1)
    await browsing.press(control("o"), shows: "Three", at: 1)
    await browsing.expect("touch exited with status 1")
    await browsing.end(escape)
  }

  @Test(arguments: ["/usr/bin/fish", "/usr/bin/zsh", "/bin/dash", "/bin/false", ""])
  func `neither the shell nor options of the person change what keys do`(shell: String) async throws {
    let options = """
      --height 40% --tac --multi --exact --with-nth 1 --print0 --header-lines 1 -1 -0 --query x --sync --expect f1 \
      --preview-window hidden --bind enter:abort,ctrl-s:toggle-sort
      """
    let browsing = try await Browsing(environment: ["SHELL": shell, "FZF_DEFAULT_OPTS": options])
    await browsing.expect("Text of 0")

    await browsing.press(down, shows: "Text of 1")
    await browsing.press(control("s"), shows: "1 item seen, badge 2", at: 2)
    await browsing.press("\r", shows: "(END)")
    await browsing.press("q", shows: head, at: 2)
    await browsing.end(escape)
    #expect(try await browsing.titles("--unseen") == ["One", "Three"])
  }

  @Test func `a title, a query and the path of the program are never read by a shell`() async throws {
    // The match of the query is first, because fzf scrolls to it: else the number of the item is not shown.
    let title = "'; touch pwned; ' $(touch pwned) `touch pwned` {1} {q} {+f} \\&quot; &amp;&amp; touch pwned"
    let browsing = try await Browsing(program: "a 'b' $(touch pwned) {1} {q}/bgfetch", title: title)
    await browsing.expect("Text of 0")

    await browsing.press("'; touch pwned;", shows: "1/3")
    await browsing.press("\r", shows: "(END)")
    await browsing.press("q", shows: head, at: 3)
    await browsing.press(control("s"), shows: "1 item unseen, badge 3", at: 3)
    await browsing.end(escape)

    #expect(!FileManager.default.fileExists(atPath: browsing.bgfetch.home.file("pwned")))
  }

  @Test func `after unknown options of the person, the menu takes the place of fzf`() async throws {
    let browsing = try await Browsing(environment: ["FZF_DEFAULT_OPTS": "--nosuch"])

    await browsing.expect("fzf exited with status 2; this menu takes its place")
    await browsing.end("q\n")
  }

  @Test func `if nothing is unseen, the newest items are listed`() async throws {
    let browsing = try await Browsing(keys: "first-run: none")

    await browsing.expect("nothing is unseen; these are the newest items")
    await browsing.expect("3/3")
    await browsing.end(escape)
    #expect(browsing.window.text().hasSuffix("\u{1B}[?1049l"), "the normal screen is not back")
  }
}

@Suite struct NumberedMenuTests {
  private let hints = "q end\r\n"

  private func browsing() async throws -> Browsing {
    let browsing = try await Browsing(environment: ["TERM": "dumb", "PAGER": "cat"])
    await browsing.expect("1 to 3 of 3")
    return browsing
  }

  @Test func `a number reads the item, and Enter comes back`() async throws {
    let browsing = try await browsing()
    let number = try #require(try await browsing.bgfetch("items", "--json").json.first?["number"] as? Int)

    await browsing.press("\(number)\n", shows: "Text of 0")
    await browsing.expect("Enter: back to the list")
    await browsing.press("\n", shows: hints)
    await browsing.end("q\n")

    #expect(try await browsing.titles("--unseen") == ["Two", "Three"])
  }

  @Test func `letters mark items, also by ranges`() async throws {
    let browsing = try await browsing()

    await browsing.press("s 1-2\n", shows: "2 items seen, badge 1")
    await browsing.press("z\n", shows: "undone: 2 items of planet are unseen again, badge 3")
    await browsing.press("t3\n", shows: "1 item starred")
    await browsing.press("S #3\n", shows: "1 item seen, badge 2")
    await browsing.press("x 3\n", shows: "write the number of an item")
    await browsing.press("99\n", shows: "there is no item 99 in this list")
    await browsing.press("r\n", shows: "Three")
    await browsing.end(control("d"))

    #expect(try await browsing.titles("--starred").count == 1)
  }

  @Test func `a browser for terminals gets this one`() async throws {
    let browsing = try await Browsing(environment: ["TERM": "dumb", "BROWSER": "echo shown"])

    await browsing.expect("1 to 3 of 3")
    await browsing.press("o 1\n", shows: "shown https://a.example/")
    await browsing.expect(hints)
    await browsing.end("q\n")

    #expect(browsing.bgfetch.badge == "2\n")
  }

  @Test(arguments: [1, 2])
  func `an fzf that fails leaves its place to the menu`(status: Int) async throws {
    let folder = try TemporaryDirectory()
    chmod(try folder.write("#!/bin/sh\nexit \(status)\n", to: "fzf"), 0o755)
    let browsing = try await Browsing(environment: ["PATH": folder.path + ":/usr/bin:/bin"])

    await browsing.expect("fzf exited with status \(status); this menu takes its place")
    await browsing.end("q\n")
    withExtendedLifetime(folder) {}
  }

  @Test func `a long list has pages`() async throws {
    let server = try ScriptedServer(planet: (1...20).map { "n\($0)" })
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")
    try await bgfetch("run")
    let window = try #require(Window())
    let program = try bgfetch.startInForeground(["browse"], on: window, environment: ["TERM": "dumb"])

    for page in ["1 to 18 of 20", "19 to 20 of 20", "1 to 18 of 20"] {
      #expect(await eventually { window.text().contains(page) })
      window.forget()
      window.press("\n")
    }

    #expect(await eventually { window.text().contains("19 to 20 of 20") })
    window.press("q\n")
    #expect(await program.ended() == 0)
  }

  @Test func `without a terminal nothing is browsed`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {}\n")

    try await bgfetch(
      "browse", status: 2, prints: "", errors: "browse needs a terminal; bgfetch items prints a list anywhere"
    )
  }

  @Test(.enabled(if: postgres != nil, "BGFETCH_TEST_POSTGRES is not set"))
  func `items of a state on a server are browsed`() async throws {
    let server = try ScriptedServer()
    let machines = try await Machines(server, feeds: ["planet"], items: ["a", "b"])
    let bgfetch = machines.first
    try await bgfetch("run", status: 0)
    let window = try #require(Window())

    let program = try bgfetch.startInForeground(
      ["browse", "--all"], on: window, environment: ["TERM": "dumb"])
    #expect(await eventually { window.text().contains("1 to 2 of 2") })
    window.type("t 1")
    #expect(await eventually { window.text().contains("1 item starred") })
    window.type("q")

    #expect(await program.ended() == 0)
  }
}
