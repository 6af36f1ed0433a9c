// The hooks for podcasts of the examples, with real audio.

import Foundation
import TestKit
import Testing

@Suite struct PodcastHookTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .appending(path: "../../../../examples/podcasts").standardized.path

  private static let hasTools = ["ffmpeg", "ffprobe", "python3"].allSatisfy { name in
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + name)
  }

  @Test(.enabled(if: hasTools, "ffmpeg is not installed"))
  func `an episode gets tags and keeps its date, and its directory gets a playlist`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try BuiltProgram(
      configuration: """
        documents: HOME/podcasts
        feeds:
          pod: {url: "\(server.url("/feed"))", download: {name: "{title}{ext}"}, first-run: all}
        hooks:
          tag: {events: [asset-placed], run: [\(Self.folder)/tag-episode], timeout: 2m}
          playlist: {events: [asset-placed], run: [\(Self.folder)/write-playlist], timeout: 2m}
        """)
    try await bgfetch.shell(
      "ffmpeg -nostdin -loglevel error -f lavfi -i sine=duration=1 -metadata title=wrong \"$HOME/tone.mp3\"",
      status: 0)
    server.on("/tone.mp3", .document(try readFile(bgfetch.home.file("tone.mp3")), type: "audio/mpeg"))
    let items = [("Low $(id) tides", "20"), ("#High tides", "21")].map { title, day in
      """
      <item><guid>\(day)</guid><title>\(title)</title><pubDate>\(day) Nov 2026 08:00:00 GMT</pubDate>
      <enclosure url="\(server.url("/tone.mp3"))?\(day)" type="audio/mpeg"/></item>
      """
    }
    server.on(
      "/feed",
      .document("<rss version=\"2.0\"><channel><title>Waves</title>\(items.joined())</channel></rss>"))

    try await bgfetch("run", status: 0)

    let low = bgfetch.home.file("podcasts/Low $(id) tides.mp3")
    let tags = try await bgfetch.shell(
      "ffprobe -v error -show_entries format_tags=title,album,date,genre -of default=noprint_wrappers=1 '\(low)'"
    )
    #expect(
      Set(tags.lines) == [
        "TAG:title=Low $(id) tides", "TAG:album=Waves", "TAG:date=2026-11-20", "TAG:genre=Podcast",
      ], "\(tags.errors)")
    let date = try FileManager.default.attributesOfItem(atPath: low)[.modificationDate] as? Date
    #expect(date == Date(timeIntervalSince1970: 1_795_161_600))
    #expect(
      bgfetch.text(of: "podcasts/playlist.m3u8")
        == "#EXTM3U\n#EXTINF:-1,#High tides\n./#High tides.mp3\n#EXTINF:-1,Low $(id) tides\n./Low $(id) tides.mp3\n"
    )
    #expect(try await bgfetch("hooks", "--json").json.isEmpty)
  }

  private static let hasMutagen =
    FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/mutagen") && hasTools

  @Test(
    .enabled(if: hasMutagen, "mutagen is not installed"),
    // Python finds no modules of packages with -S, so that ffmpeg writes the tags.
    arguments: [
      ("mp3", ""), ("m4a", ""), ("ogg", ""), ("opus", ""), ("flac", ""), ("mp3", "-S"), ("m4a", "-S"),
      ("flac", "-S"),
    ])
  func `the cover beside an episode is written into it`(ending: String, option: String) async throws {
    let program = try BuiltProgram(configuration: "feeds: {}\n")
    let event = """
      {"event":"asset-placed","feed":{"name":"pod","title":"Waves"},\
      "item":{"title":"Low tide","season":2,"episode":7},"asset":{"path":"\(program.home.file("tone.\(ending)"))"}}
      """
    try program.home.write(event, to: "event.json")

    let ended = try await program.shell(
      """
      cd "$HOME" && ffmpeg -nostdin -loglevel error -f lavfi -i sine=duration=1 tone.\(ending) &&
      ffmpeg -nostdin -loglevel error -f lavfi -i color=red:size=8x8 -frames:v 1 cover.png &&
      /usr/bin/python3 \(option) \(Self.folder)/tag-episode <event.json &&
      ffprobe -v error -show_entries stream=codec_name:format_tags:stream_tags \
        -of default=noprint_wrappers=1 tone.\(ending)
      """, status: 0)

    #expect(ended.lines.contains("codec_name=png"), "\(ended.output)")
    for tag in ["title=Low tide", "album=Waves", "track=7", "disc=2"] {
      #expect(ended.output.contains("TAG:" + tag), "\(ended.output)")
    }
  }

  @Test(.enabled(if: hasMutagen, "mutagen is not installed"))
  func `a file that is not audio is reported in one line`() async throws {
    let program = try BuiltProgram(configuration: "feeds: {}\n")

    let ended = try await program.shell(
      """
      cd "$HOME" && printf '\\0\\0\\0\\034ftypM4A \\0\\0\\2\\0M4A isomiso2' > cut.m4a &&
      echo '{"event":"asset-placed","feed":{},"item":{},"asset":{"path":"cut.m4a"}}' |
        /usr/bin/python3 \(Self.folder)/tag-episode
      """, status: 1)

    #expect(ended.errors.hasPrefix("tag-episode: cannot tag cut.m4a: "), "\(ended.errors)")
    #expect(ended.errors.split(separator: "\n").count == 1)
  }
}
