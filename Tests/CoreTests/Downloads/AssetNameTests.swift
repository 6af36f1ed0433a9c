// Names of files from untrusted text.

import Testing

@testable import Core

@Suite struct AssetNameTests {
  private func made(
    _ template: String?, title: String? = "Episode 1", url: String = "https://cdn.example/1.mp3",
    type: String? = nil, fields: [(String, String)] = [], at address: String? = nil, feed: FeedSpec? = nil,
    zone: Zone = .utc, details: ItemDetails? = nil, change: (inout Transfer) -> Void = { _ in }
  ) throws -> AssetName {
    var spec = try feed ?? podcast()
    if let template { spec.download?.name = try Template(parsing: template) }
    let answered = address ?? (url.isEmpty ? "https://planet.example/atom.xml" : url)
    return assetName(
      try transfer(url: url, type: type, title: title, change: change), details: details, feed: spec,
      label: FeedLabel(spec, FeedState()), head: reply(200, fields), address: try web(answered), in: zone)
  }

  @Test(arguments: [
    ("S{season}E{episode} {title}{ext}", "S02E107 Episode 1.mp3"),
    ("{title} ({duration}){ext}", "Episode 1 (1h2m3s).mp3"),
    ("Season {season}/{episode}{ext}", "Season 02/107.mp3"),
  ])
  func `an episode's numbers are parts of its name`(template: String, name: String) throws {
    var details = ItemDetails()
    details.season = 2
    details.episode = 107
    details.duration = .seconds(3723)

    #expect(try made(template, details: details).candidate(1) == name)
    #expect(try made(template).candidate(1).contains("107") == false)
  }

  @Test func `only names with an episode's numbers need the details of items`() throws {
    var spec = DownloadSpec()
    #expect(!spec.namesUseDetails)
    spec.name = try Template(parsing: "{feed}/{title}{ext}")
    #expect(!spec.namesUseDetails)
    spec.name = try Template(parsing: "{feed}/{episode} {title}{ext}")
    #expect(spec.namesUseDetails)
  }

  @Test(arguments: [
    // Paths out of the directory, and into bgfetch's own.
    ("../../etc/passwd", "etc-passwd.mp3"), ("..\\..\\windows", "windows.mp3"),
    ("/etc/passwd", "etc-passwd.mp3"), ("..", "untitled.mp3"), (".", "untitled.mp3"),
    ("....", "untitled.mp3"), (".bgfetch", "bgfetch.mp3"), ("./.bgfetch/1", "bgfetch-1.mp3"),
    ("~root", "root.mp3"), ("a/../b", "a-..-b.mp3"), ("", "1.mp3"), ("///", "untitled.mp3"),
    ("\u{0}", "untitled.mp3"), ("a\u{0}.exe", "a.exe.mp3"),
    // Options of commands, and hidden files.
    ("-rf", "rf.mp3"), ("--help", "help.mp3"), (".profile", "profile.mp3"), ("- .- x", "x.mp3"),
    // Characters that other file systems refuse.
    ("AC/DC: Live", "AC-DC- Live.mp3"), ("Who? What?", "Who What.mp3"), ("Why ? Now", "Why Now.mp3"),
    ("\u{FE0F}.x", "x.mp3"), ("a<b>c|d*e", "a_b_c-d_e.mp3"), ("\"quoted\"", "'quoted'.mp3"),
    ("C:\\x\\y", "C--x-y.mp3"), ("file:stream", "file-stream.mp3"), ("Wait...", "Wait.mp3"),
    ("blank \u{A0} ", "blank.mp3"), ("a\u{3000}b", "a b.mp3"),
    // Terminal escapes and invisible characters.
    ("a\u{1B}[31mb\u{7}", "ab.mp3"), ("line\nbreak\r", "line break.mp3"), ("\u{9B}2J", "untitled.mp3"),
    ("evil\u{202E}3pm.exe", "evil3pm.exe.mp3"), ("a\u{200B}b\u{FEFF}", "ab.mp3"), ("so\u{AD}ft", "soft.mp3"),
    ("\u{2028}x\u{2029}", "x.mp3"), ("tag\u{E0041}\u{E007F}", "tag.mp3"),
    ("\u{FFFE}a\u{1FFFF}", "a.mp3"), ("\u{200D}x\u{200C}", "x.mp3"),
    // Characters with several encodings.
    ("Cafe\u{301}", "Caf\u{E9}.mp3"), ("A\u{30A}ngstro\u{308}m", "\u{C5}ngstr\u{F6}m.mp3"),
    ("\u{212B}", "\u{C5}.mp3"), ("e\u{200B}\u{301}", "\u{E9}.mp3"),
    ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}.mp3"), ("<\u{338}", "\u{226E}.mp3"), ("\u{37E}", ";.mp3"),
    // Unusual and harmless.
    ("$(reboot) `x` 'y'; & %00", "$(reboot) `x` 'y'; & %00.mp3"), ("100%", "100%.mp3"),
    ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}.mp3"),
    ("\u{FFFD}", "\u{FFFD}.mp3"), ("episode.mp3", "episode.mp3"), ("EPISODE.MP3", "EPISODE.mp3"),
    (".mp3", "mp3.mp3"), ("thumbs.db", "thumbs.db.mp3"),
  ])
  func `a hostile title becomes a harmless name`(title: String, name: String) throws {
    let made = try made("{title}{ext}", title: title).candidate(1)

    // String compares canonically equivalent texts as equal; here the scalars count.
    #expect(Array(made.unicodeScalars) == Array(name.unicodeScalars))
  }

  @Test(arguments: [
    String(repeating: "x", count: 300), String(repeating: "ä", count: 300),
    String(repeating: "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", count: 60),
    "Z" + String(repeating: "\u{301}", count: 400), String(repeating: "x", count: 250) + "   ..  ",
    String(repeating: "한", count: 100), "a" + String(repeating: ". ", count: 200),
  ])
  func `a long name keeps its extension, and is cut between characters with room for a number`(
    title: String
  ) throws {
    let name = try made("{title}{ext}", title: title)

    for number in [1, 2, 10, 12_345] {
      let candidate = name.candidate(number)
      let stem = candidate.dropLast(number == 1 ? 4 : 4 + " (\(number))".count)
      #expect(candidate.utf8.count <= 255, "\(number)")
      #expect(candidate.hasSuffix(number == 1 ? ".mp3" : " (\(number)).mp3"))
      #expect(stem.last != " ", "\(number)")
      #expect(stem.last != ".", "\(number)")
      #expect(title.hasPrefix(stem) || title.utf8.first == UInt8(ascii: "Z"), "\(number)")
    }
  }

  @Test func `no text gives a name that some file system refuses`() throws {
    var random = SeededNumbers(state: 51)
    let strange = Array(
      "../\\\\:*?\"<>|-~ ..\u{0}\u{1B}\u{7F}\u{85}\u{200B}\u{200D}\u{202E}\u{2066}\u{301}\u{308}\u{FEFF}\u{FFFF}\u{E0020}CONnulCoM1\u{B9}e\u{AC00}\u{1F468}\u{FE0F}\u{1100}\u{1161}"
        .unicodeScalars)
    for _ in 0..<3000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0..<40, using: &random) {
        scalars.append(strange.randomElement(using: &random) ?? "x")
      }
      let title = String(scalars)

      let name = try made("{title}{ext}", title: title).candidate(1)

      let stem = String(name.dropLast(4))
      #expect(name.utf8.count <= 255)
      #expect(
        !name.unicodeScalars.contains { "/\\:*?\"<>|".unicodeScalars.contains($0) || $0.controlsTerminal })
      #expect(!name.hasPrefix("."))
      #expect(!name.hasPrefix("-"))
      #expect(!name.hasPrefix(" "))
      #expect(name.hasSuffix(".mp3"))
      #expect(stem.last != ".")
      #expect(stem.last != " ")
      #expect(!stem.isEmpty)
      // Clean names are not changed.
      let again = try made("{title}{ext}", title: stem).candidate(1)
      #expect(Array(again.unicodeScalars) == Array(name.unicodeScalars), "\(title.debugDescription)")
    }
  }

  @Test(arguments: [
    ("hosts.conf", "text/plain", "hosts.conf"), ("hosts.yaml", "text/plain", "hosts.yaml"),
    ("LICENSE", "text/plain", "LICENSE.txt"), ("Mr.Robot", "video/mp4", "Mr.Robot.mp4"),
    ("list.php", "text/plain", "list.txt"),
  ])
  func `servers send text types for unknown files`(file: String, type: String, name: String) throws {
    let made = try made("{name}{ext}", url: "https://a.example/" + file, fields: [("Content-Type", type)])

    #expect(made.candidate(1) == name)
  }

  @Test func `a name that is taken gets a number before its extension`() throws {
    let name = try made("{feed}/{title}{ext}", url: "https://a.example/x.tar.gz")

    #expect(
      (1...3).map(name.candidate) == [
        "planet/Episode 1.tar.gz", "planet/Episode 1 (2).tar.gz", "planet/Episode 1 (3).tar.gz",
      ])
  }

  @Test func `the template makes the directories, and values never do`() throws {
    #expect(
      try made("{feed}/{published:%Y/%m}/{title}{ext}", title: "a/b").candidate(1) == "planet/2026/11/a-b.mp3"
    )
    #expect(
      try made("../{title}/./x//{title}{ext}", title: "../..").candidate(1)
        == "untitled/untitled/untitled/x/untitled.mp3")
    #expect(try made(".bgfetch/{title}{ext}").candidate(1) == "bgfetch/Episode 1.mp3")
    #expect(try made("/abs/{title}{ext}").candidate(1) == "abs/Episode 1.mp3")
    #expect(try made("con/{title}/").candidate(1) == "con/Episode 1")
  }

  @Test func `a path stays short enough with any values`() throws {
    let long = String(repeating: "x", count: 4000)

    let path = try made(String(repeating: "{title}/", count: 100) + "{title}{ext}", title: long).candidate(1)

    #expect(path.utf8.count <= 2300)
    #expect(path.split(separator: "/").allSatisfy { $0.utf8.count <= 255 })
  }

  @Test func `every placeholder is known`() throws {
    let name = try made(
      "{feed}|{feed.title}|{title}|{published:%d.%m.%y}|{id}|{name}|{index}{ext}",
      url: "https://cdn.example/files/talk.ogg", change: { $0.asset.index = 3 })

    #expect(name.candidate(1) == "planet-planet-Episode 1-01.11.26-guid-1-talk-3.ogg")
  }

  @Test func `without a template an item's file has its date and title, and a feed's body its name`() throws {
    let body = with(try podcast("debian", url: "https://cdn.example/debian-12.5.iso?x=1")) {
      $0.kind = .asset
    }
    let secret = with(body) { $0.url = .secret(.environment("URL")) }
    let zip = [("Content-Type", "application/zip")]
    func name(_ feed: FeedSpec, _ fields: [(String, String)] = [], at address: String) throws -> String {
      try made(nil, url: "", fields: fields, at: address, feed: feed) { $0.item = nil }.candidate(1)
    }

    #expect(try made(nil).candidate(1) == "planet/2026-11-01 Episode 1.mp3")
    #expect(try name(body, at: "https://mirror.example/abc") == "debian/debian-12.5.iso")
    // A secret address gives no name.
    #expect(try name(secret, zip, at: "https://x.example/token123.zip") == "debian/debian.zip")
    // An item without a date is dated by its first sight, in the zone of the run.
    let undated = try made("{published:%F %H}{ext}") { $0.item?.published = nil }
    #expect(undated.candidate(1) == "2026-11-02 08.mp3")
  }

  @Test(
    arguments: [
      ("https://a.example/talk.mp3", nil, nil, "talk.mp3"),
      ("https://a.example/talk.MP3?id=1.exe", nil, nil, "talk.MP3"),
      ("https://a.example/dl?id=123", "audio/mpeg", nil, "dl.mp3"),
      ("https://a.example/dl.php?id=123", "audio/mpeg", nil, "dl.mp3"),
      ("https://a.example/dl.php?id=123", nil, nil, "dl"),
      ("https://a.example/dl.aspx", "application/octet-stream", "video/mp4", "dl.mp4"),
      ("https://a.example/a.tar.gz", nil, nil, "a.tar.gz"),
      ("https://a.example/a.tar.XZ", nil, nil, "a.tar.XZ"),
      ("https://a.example/debian-12.5", nil, nil, "debian-12.5"),
      ("https://a.example/debian-12.5", "application/x-iso9660-image", nil, "debian-12.5.iso"),
      ("https://a.example/Mr.Robot", "video/mp4", nil, "Mr.Robot.mp4"),
      ("https://a.example/x.superlongext", nil, nil, "x.superlongext"),
      ("https://a.example/x.m-p-3", nil, nil, "x.m-p-3"),
      ("https://a.example/archive.7z", nil, nil, "archive.7z"),
      ("https://a.example/", "image/png", nil, "untitled.png"), ("https://a.example", nil, nil, "untitled"),
      ("https://a.example/.mp3", nil, nil, "untitled.mp3"),
      ("https://a.example/AC%2FDC%20live.mp3", nil, nil, "AC-DC live.mp3"),
      ("https://a.example/..%2f..%2fetc%2fpasswd", nil, nil, "etc-passwd"),
      ("https://a.example/caf%C3%A9.ogg", nil, nil, "caf\u{E9}.ogg"),
      ("https://a.example/caf%E9.ogg", nil, nil, "caf\u{FFFD}.ogg"),
      ("https://a.example/100%.ogg", nil, nil, "100%.ogg"),
      ("https://a.example/a%00b.ogg", nil, nil, "ab.ogg"),
      ("https://a.example/x.mp3;v=1", nil, nil, "x.mp3;v=1"),
      ("https://a.example/x", "audio/mpeg; charset=utf-8", nil, "x.mp3"),
      ("https://a.example/x", nil, "AUDIO/OPUS", "x.opus"),
      ("https://a.example/x", "text/html", "audio/mp4", "x.m4a"),
      ("https://a.example/x", "text/html", nil, "x.html"),
    ] as [(String, String?, String?, String)])
  func `name and extension come from the address, else from the type`(
    url: String, answered: String?, declared: String?, name: String
  ) throws {
    let fields = answered.map { [("Content-Type", $0)] } ?? []

    #expect(try made("{name}{ext}", url: url, type: declared, fields: fields).candidate(1) == name)
  }

  @Test func `if the document's address has no name, the address of the response gives one`() throws {
    #expect(
      try made("{name}{ext}", url: "https://a.example/redirect?7", at: "https://cdn.example/e/talk.m4a")
        .candidate(1) == "talk.m4a")
    #expect(
      try made("{name}{ext}", url: "https://a.example/talk.mp3", at: "https://cdn.example/0f9a8b.mp3")
        .candidate(1) == "talk.mp3")
  }

  @Test(arguments: [
    ("attachment; filename=\"talk.ogg\"", "talk.ogg"), ("attachment; filename=talk.ogg", "talk.ogg"),
    ("ATTACHMENT;FILENAME = \"talk.ogg\" ; x=1", "talk.ogg"), ("inline; filename=talk.ogg", "talk.ogg"),
    ("attachment; filename=\"a;b.ogg\"", "a;b.ogg"), ("attachment; filename=\"a\\\"b.ogg\"", "a'b.ogg"),
    ("attachment; filename=\"../../etc/cron.d/x.ogg\"", "x.ogg"),
    ("attachment; filename=\"C:\\dir\\x.ogg\"", "x.ogg"),
    ("attachment; filename=\"a.ogg\"; filename*=UTF-8''caf%C3%A9.ogg", "caf\u{E9}.ogg"),
    ("attachment; filename*=utf-8'de'caf%C3%A9.ogg; filename=a.ogg", "caf\u{E9}.ogg"),
    ("attachment; filename*=ISO-8859-1''caf%E9.ogg", "caf\u{E9}.ogg"),
    ("attachment; filename=\"a.ogg\"; filename*=UTF-8''%E9.ogg", "a.ogg"),
    ("attachment; filename=\"a.ogg\"; filename*=big5''x", "a.ogg"),
    ("attachment; filename=\"a.ogg\"; filename*=nonsense", "a.ogg"),
    ("attachment; filename*=UTF-8''..%2F..%2Fx.ogg", "x.ogg"),
    ("attachment; filename=\"caf%C3%A9.ogg\"", "caf\u{E9}.ogg"),
    ("attachment; filename=\"50%25.ogg\"", "50%.ogg"), ("attachment; filename=\"%zz.ogg\"", "%zz.ogg"),
    ("attachment; filename=\"caf\u{EFE9}.ogg\"", "caf\u{E9}.ogg"),
    ("attachment; filename=\"caf\u{E9}.ogg\"", "caf\u{E9}.ogg"), ("attachment; filename=\"\"", "1.mp3"),
    ("attachment", "1.mp3"), ("attachment; filename=\"..\"", "1.mp3"), ("", "1.mp3"),
    ("attachment; filename=\"open.ogg", "open.ogg"),
    ("attachment; filename=\"x.ogg\"; filename=y.ogg", "x.ogg"),
    ("attachment; filename=\".ogg\"", "untitled.ogg"), ("attachment; filename=\"Talk 1.2\"", "Talk 1.2.mp3"),
    (";;;=;\"", "1.mp3"),
  ])
  func `the name that a server suggests comes before that of the address`(field: String, name: String) throws
  {
    let fields = [("Content-Disposition", field), ("Content-Type", "audio/mpeg")]

    #expect(try made("{name}{ext}", fields: fields).candidate(1) == name)
  }

  @Test(
    arguments: [
      // The name by address, server or title; the type by document or server.
      ("{name}{ext}", "https://a.example/x.html", "audio/mpeg", nil, nil, "x.mp3"),
      ("{name}{ext}", "https://a.example/x.desktop", "audio/mpeg", nil, nil, "x.desktop.mp3"),
      ("{name}{ext}", "https://a.example/x.EXE", "audio/mpeg", nil, nil, "x.mp3"),
      ("{name}{ext}", "https://a.example/x.svg", "audio/x-strange", nil, nil, "x.bin"),
      ("{name}{ext}", "https://a.example/x.lnk", nil, nil, nil, "x.lnk.bin"),
      ("{name}{ext}", "https://a.example/x.appref-ms", nil, nil, nil, "x.appref-ms.bin"),
      ("{name}{ext}", "https://a.example/x.webloc~", nil, nil, nil, "x.webloc~.bin"),
      ("{name}{ext}", "https://a.example/x.desktop%20.", nil, nil, nil, "x.desktop.bin"),
      ("{name}{ext}", "https://a.example/x.tar.gz", "audio/mpeg", nil, nil, "x.mp3"),
      ("{name}{ext}", "https://a.example/x", "audio/mpeg", "text/html", nil, "x.mp3"),
      ("{name}{ext}", "https://a.example/x", nil, "image/svg+xml", nil, "x"),
      ("{name}{ext}", "https://a.example/x.ogg", "audio/ogg", "application/x-desktop", nil, "x.ogg"),
      ("{name}{ext}", "https://a.example/x.mp3", "audio/mpeg", nil, "evil.html", "evil.mp3"),
      (
        "{name}{ext}", "https://a.example/x.mp3", "audio/mpeg", "application/x-desktop", "a.mp3.desktop",
        "a.mp3.desktop.mp3"
      ),
      ("{name}{ext}", "https://a.example/x.mp3", "audio/mpeg", "text/html", "a.svg", "a.mp3"),
      ("{title}{ext}", "https://a.example/x.hta", "audio/mpeg", nil, nil, "Evil.desktop.mp3"),
      ("{title}", "https://a.example/x.mp3", "audio/mpeg", nil, nil, "Evil.desktop.mp3"),
      ("{title}. ", "https://a.example/x.mp3", "audio/mpeg", nil, nil, "Evil.desktop.mp3"),
      ("x/{id}.{title}", "https://a.example/x.mp3", nil, nil, nil, "x/guid-1.Evil.desktop.mp3"),
      // Right extensions, and those the person wrote.
      ("{name}{ext}", "https://a.example/x.mp4", nil, "audio/mp4", nil, "x.mp4"),
      ("{name}{ext}", "https://a.example/x.webm", "audio/webm", nil, nil, "x.webm"),
      ("{name}{ext}", "https://a.example/v1.2", nil, nil, nil, "v1.2"),
      ("{title}.dat", "https://a.example/x.mp3", "audio/mpeg", nil, nil, "Evil.desktop.dat"),
    ] as [(String, String, String?, String?, String?, String)])
  func `with types a name ends in an extension of one of them`(
    template: String, url: String, declared: String?, answered: String?, suggested: String?, name: String
  ) throws {
    let feed = try podcast { $0.types = ["audio/*"] }
    var fields = answered.map { [("Content-Type", $0)] } ?? []
    if let suggested { fields.append(("Content-Disposition", "attachment; filename=\"\(suggested)\"")) }

    let made = try made(template, title: "Evil.desktop", url: url, type: declared, fields: fields, feed: feed)

    #expect(made.candidate(1) == name)
  }

  @Test func `a type of anything accepts any extension`() throws {
    let feed = try podcast { $0.types = ["application/*"] }

    #expect(try made("{name}{ext}", url: "https://a.example/x.sig", feed: feed).candidate(1) == "x.sig")
  }
}

@Suite struct StandardNameTests {
  @Test func `assets of items are named by date and title, the body of a feed by its own name`() throws {
    let items = try Template(parsing: "{feed}/{published:%Y-%m-%d} {title}{ext}")
    let mapping = JSONMapping(items: [], parts: [:])

    #expect(DownloadSpec.defaultName(for: .feed) == items)
    #expect(DownloadSpec.defaultName(for: .json(mapping)) == items)
    #expect(DownloadSpec.defaultName(for: .asset) == (try Template(parsing: "{feed}/{name}{ext}")))
  }

  @Test func `a configured name wins`() {
    let download = with(DownloadSpec()) { $0.name = Template(literal: "hosts.yaml") }

    #expect(download.fileName(for: .asset) == Template(literal: "hosts.yaml"))
    #expect(DownloadSpec().fileName(for: .asset) == DownloadSpec.defaultName(for: .asset))
  }
}
