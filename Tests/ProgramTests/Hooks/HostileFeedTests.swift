// Every example configuration with hostile feeds. The hooks are stand-ins that log their arguments. Text of a feed must
// not be executed, expanded, taken for an option or for markup, or control a terminal.

import Foundation
import Synchronization
import TestKit
import Testing

@Suite struct HostileExampleTests {
  /// Each example, and the first configuration that add writes, with the programs that its hooks must call.
  @Test(
    arguments: [
      (nil, ["tee"]), ("minimal.yaml", []), ("desktop.yaml", ["systemd-run", "yt-dlp", "pkill"]),
      ("hooks.yaml", ["notify-send", "curl", "sendmail"]),
      ("podcasts.yaml", ["tag-episode", "write-playlist", "sendmail"]),
      ("releases.yaml", []),
      ("server.yaml", ["logger", "call", "iso-arrived", "curl"]),
      ("reference.yaml", ["notify-send"]),
    ] as [(String?, [String])])
  func `an example passes hostile text on without interpreting it`(
    example: String?, programs: [String]
  ) async throws {
    let desk = try HostileDesk(example)

    // Items of the baseline are not news.
    let first = try await desk.run()
    desk.turnHostile()
    let second = try await desk.run()

    #expect(first.status == 0, "\(first.errors)")
    #expect(second.status == 0, "\(second.errors)")
    let calls = try desk.calls()
    #expect(Set(calls.map(\.program)) == Set(programs))
    for call in calls { check(call) }
    // A popup without a session has no call.
    #expect(programs.isEmpty || calls.contains { $0.text.contains("${CANARY}") })
    #expect(desk.owned == [])
    for place in desk.placed { #expect(place.allSatisfy { !"\u{202E}\n\u{1B}".contains($0) }) }
    // Neither the terminal nor the log may be controlled.
    for text in [second.output, second.errors] { #expect(!text.unicodeScalars.contains(where: steers)) }
  }

  /// Checks one call of a program.
  private func check(_ call: HostileDesk.Call) {
    #expect(!call.text.contains("leaked"), "\(call)")
    for (index, argument) in call.arguments.enumerated() {
      // The body of a notification may have several lines.
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
      let names = head.filter { !$0.hasPrefix(" ") }.map { String($0.prefix { $0 != ":" }) }
      let ofItem = ["X-Tags", "X-RSS-Feed", "X-RSS-ID", "X-RSS-URL", "X-RSS-TAGS"]
      #expect(
        names.filter { !ofItem.contains($0) } == [
          "From", "To", "Subject", "Date", "Message-ID", "List-Id", "Auto-Submitted", "User-Agent",
          "MIME-Version", "Content-Type",
        ], "\(call)")
      #expect(Set(names).count == names.count, "\(call)")
    case "curl":
      #expect(
        call.arguments.filter { $0.contains("hostile") }.allSatisfy {
          $0.hasPrefix("Title: ") || $0.hasPrefix("Click: ")
        }, "\(call)")
    case "systemd-run":
      #expect(!call.arguments.contains { $0.contains("hostile") || $0.contains("${") }, "\(call)")
    case "yt-dlp":
      #expect(call.arguments.count == 4, "\(call)")
      #expect(call.arguments.last?.hasPrefix("http") == true, "\(call)")
    default: break
    }
    if call.input.hasPrefix("{") {
      #expect((try? JSONSerialization.jsonObject(with: Data(call.input.utf8))) != nil, "\(call)")
    }
  }
}

/// Whether a text has control characters or changes the order of the text around it.
private func steers(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x0A: false
  case ..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
  default: false
  }
}

// An example configuration with hostile feeds and stand-ins for its programs.

/// The built program with an example for its configuration.
final class HostileDesk: Sendable {
  /// One call of a stand-in program.
  struct Call {
    let program: String
    let arguments: [String]
    let input: String

    /// All its arguments and its input.
    var text: String { (arguments + [input]).joined(separator: "\n") }
  }

  private let bgfetch: BuiltProgram
  private let server: ScriptedServer
  private let gate = HostileGate()
  /// The directory of the stand-ins, which is the PATH.
  private let path: String

  /// Sets up an example, or the first configuration if nil.
  init(_ example: String?) throws {
    bgfetch = try BuiltProgram()
    let gate = gate
    server = try ScriptedServer { request in answer(request.path, request.origin, isHostile: gate.isHostile) }
    let home = bgfetch.home
    for directory in ["bin", "calls", "docs", "feeds", ".config/bgfetch", "desktop", "credentials"] {
      try FileManager.default.createDirectory(atPath: home.file(directory), withIntermediateDirectories: true)
    }
    for program in Self.programs {
      _ = try bgfetch.script("bin/" + program, Self.standIn(program, home.file("calls")))
    }
    path = home.file("bin") + ":/usr/bin:/bin"
    _ = try bgfetch.script(
      "bin/pass", "case $2 in *url*) echo '\(server.url("/secret.example/feed"))';; *) echo geheimnis;; esac")
    _ = try bgfetch.script("bin/git-tags", "exit 0")
    let cookie = "localhost\tFALSE\t/\tFALSE\t0\tname\tvalue\n"
    chmod(try home.write(cookie, to: ".config/bgfetch/cookies.txt"), 0o600)
    // Plain HTTP uses no certificates, so any will do.
    for name in ["client.pem", "client.key"] { _ = try home.write("", to: ".config/bgfetch/" + name) }
    for name in ["code-token", "cloud", "call-webhook", "forum-token", "client-key"] {
      chmod(try home.write("geheimnis\n", to: "credentials/" + name), 0o600)
    }
    chmod(try home.write("geheimnis\n", to: ".config/bgfetch/forum-token"), 0o600)
    _ = try home.write(hostileRSS(isHostile: false, origin: server.origin), to: "feeds/builds.xml")
    if let example {
      for included in ["media.yaml", "software.yaml"] {
        chmod(try home.write(try text("desktop/" + included), to: "desktop/" + included), 0o600)
      }
      try bgfetch.configure(try text(example))
    }
  }

  private static let programs = [
    "notify-send", "systemd-run", "yt-dlp", "pkill", "curl", "sendmail", "tag-episode", "write-playlist",
    "logger", "call", "iso-arrived", "tee",
  ]

  /// A program that logs its arguments and its input, one file per call; as systemd-run it also expands
  /// `${…}` and runs its
  /// command.
  private static func standIn(_ program: String, _ calls: String) -> String {
    let records = """
      file=$(mktemp "\(calls)/\(program).XXXXXX")
      { printf '%s\\0' "$#" "$@"; cat; } > "$file"
      """
    guard program == "systemd-run" else { return records }
    return records + """

      while [ "$1" != -- ]; do shift; done
      shift
      exec python3 -c 'import os, re, sys
      words = [re.sub(r"\\$\\{(\\w+)\\}", lambda m: os.environ.get(m[1], ""), word) for word in sys.argv[1:]]
      os.execvp(words[0], words)' "$@"
      """
  }

  /// The text of an example with its feeds on the server, and its programs and directories below the home.
  private func text(_ example: String) throws -> String {
    let file = URL(filePath: #filePath).appending(path: "../../../../examples/" + example).standardized
    var text = try String(contentsOf: file, encoding: .utf8)
    // The hooks of one example are commented out.
    if let comment = text.range(of: "\n#hooks:") {
      text =
        text[..<comment.lowerBound] + text[comment.lowerBound...].replacingOccurrences(of: "\n#", with: "\n")
    }
    let parts = text.components(separatedBy: "\nhooks:")
    let feeds = parts[0].replacing(/https?:\/\/(?<rest>[a-z0-9][^\s"',}]*)/) {
      "\(server.origin)/\($0.output.rest)"
    }
    text = ([feeds] + parts.dropFirst()).joined(separator: "\nhooks:")
    for (path, place) in [
      ("$XDG_DATA_HOME/bgfetch/documents", "docs"), ("$XDG_STATE_HOME/bgfetch/badge", "badge"),
      ("$XDG_STATE_HOME/bgfetch/news.atom", "news.atom"), ("/mnt/nas/podcasts", "docs"),
      ("/srv/mirror", "docs"), ("/usr/sbin/", "bin/"), ("/usr/local/sbin/", "bin/"),
      ("/usr/local/lib/bgfetch/", "bin/"), ("~/bin/", "bin/"),
      ("~/.local/share/doc/bgfetch/examples/podcasts/", "bin/"),
    ] {
      text = text.replacingOccurrences(of: path, with: bgfetch.home.file(place))
    }
    // The test sets the state directory and the token, and removes hours, which would postpone deliveries.
    return text.replacing(/(?m)^state: .*$/, with: "").replacing(
      /free-space: [0-9]+[A-Za-z]+/, with: "free-space: 1KiB"
    )
    .replacingOccurrences(of: "delay: 10m", with: "delay: 0s").replacingOccurrences(
      of: "first-run: latest", with: "first-run: none"
    )
    .replacing(/rate-limit: 4MiB.s/, with: "rate-limit: none")
  }

  /// Runs all feeds at a time of day within all hours.
  func run() async throws -> Invoked {
    let environment = [
      "PATH": path, "CANARY": "leaked", "HOME": bgfetch.home.path,
      "BGFETCH_NOW": gate.isHostile ? "2026-11-18T12:30:00Z" : "2026-11-18T12:00:00Z",
      "CREDENTIALS_DIRECTORY": bgfetch.home.file("credentials"),
      "DBUS_SESSION_BUS_ADDRESS": "unix:abstract=/none", "XDG_RUNTIME_DIR": bgfetch.home.path,
    ]
    if !FileManager.default.fileExists(atPath: bgfetch.configurationPath) {
      try await bgfetch("add", server.url("/debian"), environment: environment)
    }
    return try await bgfetch("run", "--force", "-v", environment: environment)
  }

  /// Makes the feeds hostile.
  func turnHostile() {
    gate.turn()
    _ = try? bgfetch.home.write(hostileRSS(isHostile: true, origin: server.origin), to: "feeds/builds.xml")
  }

  /// The calls of the stand-ins.
  func calls() throws -> [Call] {
    let directory = bgfetch.home.file("calls")
    return try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map { name in
      let bytes = try readFile(directory + "/" + name)
      var parts = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
      }
      let count = Int(parts.removeFirst()) ?? 0
      return Call(
        program: String(name.prefix { $0 != "." }), arguments: Array(parts.prefix(count)),
        input: parts.dropFirst(count).joined(separator: "\0"))
    }
  }

  /// Files that exist only if text of a feed was executed.
  var owned: [String] {
    let names = FileManager.default.enumerator(atPath: bgfetch.home.path)?.compactMap { $0 as? String } ?? []
    return names.filter { ($0.split(separator: "/").last ?? "").hasPrefix("owned") }
  }

  var placed: [String] {
    FileManager.default.enumerator(atPath: bgfetch.home.file("docs"))?.compactMap { $0 as? String } ?? []
  }
}

/// Whether the feeds are hostile.
private final class HostileGate: Sendable {
  private let hostile = Mutex(false)

  var isHostile: Bool { hostile.withLock { $0 } }
  func turn() { hostile.withLock { $0 = true } }
}

/// The attacks, each with a word by which it is found.
private let hostileTexts = [
  "-hostile --help $(touch owned1) `touch owned2` ; touch owned3 | touch owned4 & ${CANARY} $CANARY %h",
  "@/etc/passwd hostile {title} {{badge}} %n \\n \\\" ' #(touch owned5) #{CANARY}",
  "~!touch owned6 hostile &#10;~!touch owned7&#10;.&#10;Bcc: evil@evil.example",
  "&lt;b&gt;hostile&lt;/b&gt; &lt;img src=x onerror=alert(1)&gt; &#x600;&lt;i&gt; &amp;lt;u&amp;gt; &lt;script&gt;",
  "hostile &#x202E;gpj.exe &#x2066;x &#27;[31mred&#27;]0;owned&#7; &#155;2J &#127; &#x85; &#x2028;next",
]

/// A hostile or a harmless feed.
private func hostileRSS(isHostile: Bool, origin: String) -> String {
  let items = (isHostile ? hostileTexts : ["stable longterm"]).enumerated().map { number, text in
    let mark = isHostile ? "h\(number)" : "p"
    return """
      <item><guid isPermaLink="false">\(mark) \(text)</guid><title>stable \(text)</title>
      <link>https://evil.example/\(mark)?-hostile=${CANARY}&amp;$(touch%20owned8)=`touch+owned9`</link>
      <description>\(text)</description><author>\(text)</author><category>\(text)</category>
      <enclosure url="\(origin)/files/\(mark)%20-hostile%24(touch%20owned)%0A%1B.desktop" type="audio/mpeg" length="9"/></item>
      """
  }
  return
    "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>\(isHostile ? hostileTexts[0] : "Calm")</title>"
    + "<link>https://evil.example/</link>" + items.joined() + "</channel></rss>"
}

/// A page in which every selector of the examples finds items.
private func hostilePage(isHostile: Bool) -> String {
  let items = (isHostile ? hostileTexts : ["calm"]).map { text in
    let quoted = text.replacingOccurrences(of: "\"", with: "&quot;")
    return """
      <article class="post" id="\(quoted)"><h2><a href="https://evil.example/?\(quoted)">\(text)</a></h2>
      <time>\(text)</time><p class="teaser">\(text)</p><b class="by">\(text)</b><img src="\(quoted)"></article>
      """
  }
  return "<title>\(isHostile ? hostileTexts[0] : "Calm")</title><main>\(items.joined())</main>"
}

/// One JSON document in which every mapping of the examples finds items.
private func hostileJSON(_ path: String, isHostile: Bool) -> String {
  let texts =
    isHostile
    ? hostileTexts.map {
      $0.replacingOccurrences(of: "&#x202E;", with: "\u{202E}").replacingOccurrences(
        of: "&#27;", with: "\u{1B}")
    } : ["calm"]
  let items = texts.enumerated().map { number, text -> [String: Any] in
    [
      "id": "\(number) \(text)", "name": text, "tag_name": text, "status": text, "num": text, "title": text,
      "digest": text, "body": text, "description": text, "shortlink": "https://evil.example/${CANARY}",
      "html_url": "https://evil.example/${CANARY}", "incident_updates": [["body": text]],
      "published_at": "2026-11-18T11:00:00Z", "created_at": "2026-11-18T11:00:00Z",
      "assets": [[String: Any]](),
    ]
  }
  let one: [String: Any] = [
    "info": ["version": texts[0], "release_url": "https://evil.example/$(x)"], "urls": [[String: Any]](),
    "num": texts[0], "title": texts[0], "data": ["issues": items], "versions": items, "results": items,
    "incidents": items,
  ]
  let isList = ["api.github.com", "gitlab.com", "codeberg.org", "code.example/api"].contains {
    path.contains($0)
  }
  let data = (try? JSONSerialization.data(withJSONObject: isList ? items as Any : one as Any)) ?? Data()
  return String(decoding: data, as: UTF8.self)
}

private func answer(_ path: String, _ origin: String, isHostile: Bool) -> ScriptedAnswer {
  if path.hasPrefix("/files/") {
    return .status(
      200,
      [
        ("Content-Type", "audio/mpeg"),
        ("Content-Disposition", "attachment; filename=\"-hostile$(touch owned).html\""),
      ], body: "ID3 sound")
  }
  if path.hasSuffix(".iso") || path.hasSuffix("hosts.yaml") {
    return .status(
      200, [("Content-Disposition", "attachment; filename=\"-hostile${CANARY}.iso\"")],
      body: "a file \(isHostile)")
  }
  if path.contains("harbour.example") || path.contains("ferries.example") {
    return .document(hostilePage(isHostile: isHostile), type: "text/html")
  }
  let isJSON = ["info.0.json", "/api", "/tags", "api.", "incidents.json", "/pypi/"].contains {
    path.contains($0)
  }
  return .document(
    isJSON ? hostileJSON(path, isHostile: isHostile) : hostileRSS(isHostile: isHostile, origin: origin),
    type: isJSON ? "application/json" : "application/rss+xml")
}
