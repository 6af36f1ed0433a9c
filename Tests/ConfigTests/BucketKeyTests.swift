// A bucket in place of a documents directory.

import Config
import Core
import Testing

@Suite struct BucketKeyTests {
  private func read(_ documents: String) -> ConfigurationReading {
    reading("documents: \(documents)\nfeeds: {a: \"https://a.example/\"}")
  }

  private static let keys = "access-key: {env: S3_KEY}, secret-key: {file: /etc/bgfetch/s3}"

  @Test func `a path is a directory, and clear text to another machine needs a word`() {
    let path = read("/srv/documents").settings
    let clear = read("{s3: \"http://s3.lan/news\", insecure: true, \(Self.keys)}").settings

    #expect(path?.documents == "/srv/documents")
    #expect(path?.bucket == nil)
    #expect(path?.spool == "/srv/documents")
    #expect(clear?.bucket?.address == "http://s3.lan/news")
  }

  @Test func `all keys of a bucket are read`() {
    let settings = read(
      "{s3: \"https://s3.example/news/assets\", region: eu-central-1, \(Self.keys)}"
    ).settings
    let expected = BucketSpec(
      address: "https://s3.example/news/assets", region: "eu-central-1",
      accessKey: .secret(.environment("S3_KEY")), secretKey: .file("/etc/bgfetch/s3"))

    #expect(settings?.bucket == expected)
    #expect(settings?.documents == expected.address)
    #expect(settings.map { $0.spool == $0.state + "/spool" } == true)
  }

  @Test(arguments: [
    ("https://s3.example/news/", "https://s3.example/news"),
    ("HTTPS://S3.Example:443/news//a b", nil),
    ("https://s3.example:443/news//a%20b/ä", "https://s3.example/news/a%20b/%C3%A4"),
    ("https://s3.eu-central-1.amazonaws.com/news", "https://s3.eu-central-1.amazonaws.com/news"),
    (
      "https://bucket.vpce-1a2b.s3.eu-central-1.vpce.amazonaws.com/news",
      "https://bucket.vpce-1a2b.s3.eu-central-1.vpce.amazonaws.com/news"
    ),
    ("http://127.0.0.1:8333/news", "http://127.0.0.1:8333/news"),
    ("http://localhost/news", "http://localhost/news"),
    ("http://[::1]:9/news", "http://[::1]:9/news"),
  ])
  func `an address has one spelling`(written: String, address: String?) {
    let settings = read("{s3: \"\(written)\", access-key: AKIA, secret-key: {env: S}}").settings

    #expect(settings?.bucket?.address == address)
    if address != nil { #expect(settings?.bucket?.accessKey == .plain("AKIA")) }
  }
}
