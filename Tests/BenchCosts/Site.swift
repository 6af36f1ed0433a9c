// The site that the benches fetch from: feeds and files as nginx serves them, on many addresses of this machine.

import Foundation

/// A running nginx with generated feeds.
final class Site {
  static let nginx = "/usr/sbin/nginx"
  /// The number of hosts among which feeds are divided.
  private static let hosts = 200
  private static let port = 18_181

  let feeds: Int
  private let root: URL
  private let process = Process()

  /// Makes the feeds, each with 15 items of some kilobytes, as they are and compressed, and starts the server.
  init(in folder: URL, feeds: Int) throws {
    self.feeds = feeds
    root = folder
    try FileManager.default.createDirectory(
      at: folder.appending(path: "run"), withIntermediateDirectories: true)
    for number in 0..<feeds { try write(feed(number), to: "f\(number).xml") }
    try write(String(repeating: "0123456789abcdef", count: 1 << 16), to: "part")
    let large = folder.appending(path: "large")
    try write("", to: "large")
    try FileHandle(forWritingTo: large).truncate(atOffset: 1 << 30)
    let compress = Process()
    compress.executableURL = URL(fileURLWithPath: "/bin/sh")
    compress.arguments = ["-c", "cd '\(folder.path)' && gzip -1 -k f*.xml"]
    try compress.run()
    compress.waitUntilExit()
    try start()
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  func url(_ number: Int) -> String {
    "http://127.0.\(1 + number % Self.hosts / 100).\(1 + number % 100):\(Self.port)/f\(number).xml"
  }

  /// The address of a file of 1 MiB that is the same under every number.
  func part(_ number: Int) -> String { "http://127.0.1.1:\(Self.port)/parts/\(number).bin" }

  /// A file of 1 GiB.
  var large: String { "http://127.0.1.1:\(Self.port)/large" }

  /// Writes a feed whose items are the parts.
  func addPodcast(parts: Int) throws -> String {
    let items = (0..<parts).map {
      "<item><guid>\($0)</guid><title>Part \($0)</title>"
        + "<enclosure url=\"\(part($0))\" type=\"audio/mpeg\" length=\"1048576\"/></item>"
    }
    try write("<rss><channel><title>Parts</title>\(items.joined())</channel></rss>", to: "podcast.xml")
    return "http://127.0.1.1:\(Self.port)/podcast.xml"
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: root.appending(path: name))
  }

  private func feed(_ number: Int) -> String {
    let words = [
      "station", "river", "kernel", "garden", "signal", "market", "bridge", "winter", "school", "patch",
    ]
    var state = UInt64(number) &+ 1
    func word() -> String {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return words[Int(state >> 33) % words.count]
    }
    func text(_ count: Int) -> String { (0..<count).map { _ in word() }.joined(separator: " ") }
    let items = (0..<15).map { item in
      """
      <item><guid>https://site\(number).example/\(item)</guid><link>https://site\(number).example/\(item)</link>
      <title>\(text(6)) \(item)</title><pubDate>Tue, 10 Nov 2026 10:\(10 + item):00 GMT</pubDate>
      <description>&lt;p&gt;\(text(150))&lt;/p&gt;&lt;p&gt;\(text(150))&lt;/p&gt;</description></item>
      """
    }
    return "<rss version=\"2.0\"><channel><title>Site \(number)</title>\(items.joined())</channel></rss>"
  }

  private func start() throws {
    let listen = (1...2).flatMap { block in
      (1...100).map { "listen 127.0.\(block).\($0):\(Self.port) backlog=4096;" }
    }
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path run;" }
    try write(
      """
      daemon off; master_process off; pid run/pid; worker_rlimit_nofile 8192;
      events { worker_connections 4096; }
      http {
        types { application/rss+xml xml; }
        default_type application/octet-stream;
        access_log off; sendfile on; keepalive_requests 100000; gzip_static on;
        \(temporary.joined(separator: " "))
        server { \(listen.joined(separator: " ")) root \(root.path); location /parts/ { try_files /part =404; } }
      }
      """, to: "nginx.conf")
    process.executableURL = URL(fileURLWithPath: Self.nginx)
    process.arguments = ["-p", root.path, "-c", "nginx.conf", "-e", "run/error.log"]
    try process.run()
    let probe = [
      "/usr/bin/curl", "-sf", "-o", "/dev/null", "--retry", "50", "--retry-connrefused", "--retry-delay", "1",
    ]
    try cost(probe + [url(0)], root)
  }
}
