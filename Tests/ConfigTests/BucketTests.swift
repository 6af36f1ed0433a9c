// A bucket in place of a documents directory.

import Config
import Core
import Testing

@Suite struct BucketTests {
  private func read(_ documents: String) -> ConfigurationReading {
    reading("documents: \(documents)\nfeeds: {a: \"https://a.example/\"}")
  }

  private static let keys = "access-key: {env: S3_KEY}, secret-key: {file: /etc/bgfetch/s3}"

  @Test func `a path is a directory, and there is no bucket`() {
    let settings = read("/srv/documents").settings

    #expect(settings?.documents == "/srv/documents" && settings?.bucket == nil)
    #expect(settings?.spool == "/srv/documents")
  }

  @Test func `all keys of a bucket are read`() {
    let settings = read(
      "{s3: \"https://s3.example/news/assets\", region: eu-central-1, \(Self.keys), path-style: true}"
    ).settings
    var expected = BucketSpec(
      address: "https://s3.example/news/assets", region: "eu-central-1",
      accessKey: .secret(.environment("S3_KEY")), secretKey: .file("/etc/bgfetch/s3"))
    expected.hasPathStyle = true

    #expect(settings?.bucket == expected)
    #expect(settings?.documents == expected.address)
    #expect(settings.map { $0.spool == $0.state + "/spool" } == true)
  }

  @Test(
    arguments: [
      ("https://s3.example/news/", true, "https://s3.example/news"),
      ("HTTPS://S3.Example:443/news//a b", true, nil),
      ("https://s3.example:443/news//a%20b/ä", true, "https://s3.example/news/a%20b/%C3%A4"),
      ("https://news.s3.eu-central-1.amazonaws.com", false, "https://news.s3.eu-central-1.amazonaws.com"),
      ("https://news.s3.example/x", false, "https://news.s3.example/x"),
      ("http://127.0.0.1:8333/news", true, "http://127.0.0.1:8333/news"),
      ("http://localhost/news", true, "http://localhost/news"),
      ("http://[::1]:9/news", true, "http://[::1]:9/news"),
    ])
  func `an address has one spelling`(written: String, hasPathStyle: Bool, address: String?) {
    let settings = read(
      "{s3: \"\(written)\", path-style: \(hasPathStyle), access-key: AKIA, secret-key: {env: S}}"
    )
    .settings

    #expect(settings?.bucket?.address == address)
    if address != nil { #expect(settings?.bucket?.accessKey == .plain("AKIA")) }
  }

  @Test(
    arguments: [
      ("{\(keys)}", "documents has no s3; write s3: https://s3.example/news"),
      (
        "{s3: \"https://s3.example/news\", path-style: true, access-key: AKIA}",
        "documents has no secret-key; write secret-key: {file: PATH}"
      ),
      (
        "{s3: \"https://s3.example/news\", path-style: true, secret-key: {env: S}}",
        "documents has no access-key; write access-key: {env: NAME}"
      ),
      (
        "{s3: \"https://s3.example/news\", path-style: true, access-key: AKIA, secret-key: geheim}",
        "secret-key must not be plain text in this file"
      ),
      (
        "{s3: \"http://s3.example/news\", path-style: true, \(keys)}",
        "s3 sends files as clear text; write https://, or add insecure: true in a network you trust"
      ),
      (
        "{s3: \"https://s3.example/\", path-style: true, \(keys)}",
        "s3 names no bucket; write https://s3.example/BUCKET, or path-style: false"
      ),
      (
        "{s3: \"https://s3.example/news\", \(keys)}",
        "s3 has the bucket in its path, not in its host; add path-style: true, or write https://BUCKET.s3.example"
      ),
      (
        "{s3: \"http://127.0.0.1:8333/news\", \(keys)}",
        "s3 has the bucket in its path, not in its host; add path-style: true"
      ),
      (
        "{s3: \"https://me:geheim@s3.example/news\", path-style: true, \(keys)}",
        "s3 is not an http or https URL without user and query"
      ),
      (
        "{s3: \"https://s3.example/news?x=geheim\", path-style: true, \(keys)}",
        "s3 is not an http or https URL without user and query"
      ),
      ("{s3: \"s3://news\", \(keys)}", "s3 is not an http or https URL without user and query"),
      (
        "{s3: \"https://news.s3.example\", region: \"eu/x\", \(keys)}",
        "region has other characters than letters, digits and -"
      ),
      ("{s3: \"https://news.s3.example\", bucket: x, \(keys)}", "unknown key \"bucket\""),
      ("[a]", "documents must not be a list; write a path"),
    ])
  func `mistakes are named with their cure, and no secret is repeated`(documents: String, problem: String) {
    let problems = read(documents).problems.map(\.text)

    #expect(problems.count == 1 && problems[0].contains(problem), "\(problems)")
    #expect(problems.allSatisfy { !$0.contains("geheim") })
  }

  @Test func `clear text to another machine needs a word`() {
    let settings = read("{s3: \"http://s3.lan/news\", path-style: true, insecure: true, \(Self.keys)}")
      .settings

    #expect(settings?.bucket?.address == "http://s3.lan/news")
  }
}
