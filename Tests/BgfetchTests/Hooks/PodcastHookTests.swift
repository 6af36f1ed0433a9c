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
          pod: {url: "\(server.url("/feed"))", download: {name: "{title}{ext}"}, first-run: {download: all}}
        hooks:
          tag: {events: [asset-placed], run: [\(Self.folder)/tag-episode], timeout: 2m}
          playlist: {events: [asset-placed], run: [\(Self.folder)/write-playlist], timeout: 2m}
        """)
    let made = try await bgfetch.shell(
      "ffmpeg -nostdin -loglevel error -f lavfi -i sine=duration=1 -metadata title=wrong \"$HOME/tone.mp3\"")
    #expect(made.status == 0, "\(made.errors)")
    server.on("/tone.mp3", .document(try readFile(bgfetch.home.file("tone.mp3")), type: "audio/mpeg"))
    let items = [("Low $(id) tides", "20"), ("#High tides", "21")].map { title, day in
      """
      <item><guid>\(day)</guid><title>\(title)</title><pubDate>\(day) Nov 2026 08:00:00 GMT</pubDate>
      <enclosure url="\(server.url("/tone.mp3"))?\(day)" type="audio/mpeg"/></item>
      """
    }
    server.on("/tone.mp3?20", .document(try readFile(bgfetch.home.file("tone.mp3")), type: "audio/mpeg"))
    server.on("/tone.mp3?21", .document(try readFile(bgfetch.home.file("tone.mp3")), type: "audio/mpeg"))
    server.on(
      "/feed",
      .document("<rss version=\"2.0\"><channel><title>Waves</title>\(items.joined())</channel></rss>"))

    let ended = try await bgfetch("run")

    #expect(ended.status == 0, "\(ended.errors)")
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
}
