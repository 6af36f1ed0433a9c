// The files of items: enclosures, Media RSS with its groups, and files named in texts.

import Core
import Testing

@Suite struct ItemFilesTests {
  @Test func `media content is a file, a thumbnail is not, and no file is listed twice`() throws {
    let item = try rssItem(
      """
      <enclosure url="https://a.example/1.mp3"/>
      <media:group><media:content url="https://a.example/1.mp3" type="audio/mpeg" fileSize="7"/>
      <media:content url="/my file.mp4" medium="video"/></media:group>
      <media:thumbnail url="https://a.example/t.png"/><enclosure length="3"/>
      """)

    // The enclosure is the default of the group that has it, too.
    var file = Enclosure(url: "https://a.example/1.mp3", type: "audio/mpeg", length: 7)
    file.renditions = [Enclosure(url: "https://site.example/my%20file.mp4")]
    #expect(item.enclosures == [file])
  }

  struct Group: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let inside: String
    /// The files, and after `|` their other forms.
    let files: [String]

    init(_ name: String, _ inside: String, _ files: [String]) {
      self.testDescription = name
      self.inside = inside
      self.files = files
    }
  }

  @Test(arguments: [
    Group(
      "the default that is declared",
      "<media:group><media:content url='/1080' height='1080'/><media:content url='/720' isDefault='true'/></media:group>",
      ["/720|/1080"]),
    Group(
      "without one the largest picture, as BBC",
      "<media:group><media:content url='/s' height='280' bitrate='900'/><media:content url='/l' height='1080'/></media:group>",
      ["/l|/s"]),
    Group(
      "the highest rate of a recording, then the longest file",
      """
      <media:group><media:content url='/64' bitrate='64' fileSize='9'/><media:content url='/128' bitrate='128'/>
      <media:content url='/128b' bitrate='128' fileSize='8'/></media:group>
      """, ["/128b|/128 /64"]),
    Group(
      "the first of equals", "<media:group><media:content url='/a'/><media:content url='/b'/></media:group>",
      ["/a|/b"]),
    Group(
      "a sample last",
      "<media:group><media:content url='/s' expression='sample' height='9'/><media:content url='/f'/></media:group>",
      ["/f|/s"]),
    Group(
      "a video before a recording",
      "<media:group><media:content url='/a' type='audio/mpeg'/><media:content url='/v' medium='video'/></media:group>",
      ["/v|/a"]),
    Group(
      "a picture of a video is no form of it",
      "<media:group><media:content url='/i' medium='image'/><media:content url='/v' type='video/mp4'/></media:group>",
      ["/v"]),
    Group(
      "sizes of a picture",
      "<media:group><media:content url='/s' type='image/png' height='9'/><media:content url='/l' type='image/png' height='90'/></media:group>",
      ["/l|/s"]),
    Group(
      "an enclosure after its group is the default",
      "<media:group><media:content url='/a' height='9'/><media:content url='/b'/></media:group><enclosure url='/b'/>",
      ["/b|/a"]),
    Group(
      "an enclosure of its own is another file",
      "<enclosure url='/e'/><media:group><media:content url='/a'/></media:group>", ["/e", "/a"]),
    Group(
      "two groups are two files",
      "<media:group><media:content url='/a'/></media:group><media:group><media:content url='/b'/></media:group>",
      ["/a", "/b"]),
    Group("files outside of a group", "<media:content url='/a'/><media:content url='/b'/>", ["/a", "/b"]),
    Group(
      "a form twice",
      "<media:group><media:content url='/a'/><media:content url='/b'/><media:content url='/b'/></media:group>",
      ["/a|/b"]),
    Group(
      "YouTube",
      "<media:group><media:title>t</media:title><media:content url='/v/1' type='application/x-shockwave-flash' width='640' height='390'/><media:thumbnail url='/t.jpg'/><media:description>one\ntwo</media:description></media:group>",
      ["/v/1"]),
    Group(
      "a group without files", "<media:group><media:title>t</media:title><media:content/></media:group>", []),
    Group(
      "alternate enclosures of podcasts",
      "<enclosure url='/e'/><podcast:alternateEnclosure type='audio/opus'><podcast:source uri='/o'/></podcast:alternateEnclosure>",
      ["/e"]),
  ])
  func `the forms of a file in a group are one file`(group: Group) throws {
    func path(_ file: Enclosure) -> String { file.url.replacing("https://site.example", with: "") }
    let files = try rssItem(group.inside).enclosures.map { file in
      path(file) + (file.renditions.isEmpty ? "" : "|") + file.renditions.map(path).joined(separator: " ")
    }

    #expect(files == group.files)
  }

  @Test func `forms of files are bounded`() throws {
    let forms = (1...500).map { "<media:content url='/\($0)'/>" }.joined()
    let item = try rssItem("<media:group>\(forms)</media:group><media:group>\(forms)</media:group>")

    #expect(item.enclosures.count == 1)
    #expect(item.enclosures.first?.renditions.count == 199)
  }

  @Test(
    arguments: [
      ("<enclosure>https://a.example/my file.mp3</enclosure>", "https://a.example/my%20file.mp3", nil, nil),
      (
        "<enclosure type='audio/mpeg' length='7'> /e.mp3 </enclosure>", "https://site.example/e.mp3",
        "audio/mpeg", 7
      ),
      (
        "<enclosure><![CDATA[https://a.example/?a=1&b=2]]></enclosure>", "https://a.example/?a=1&b=2", nil,
        nil
      ),
      ("<enclosure>none</enclosure>", nil, nil, nil), ("<enclosure>see the page.</enclosure>", nil, nil, nil),
      (
        "<enc:enclosure rdf:resource='https://a.example/e.mp3' enc:type='audio/mpeg' enc:length='7'/>",
        "https://a.example/e.mp3", "audio/mpeg", 7
      ),
      (
        "<e:enclosure xmlns:e='http://purl.oclc.org/net/rss_2.0/enc#' e:url='e.mp3' e:type='audio/mpeg'/>",
        "https://site.example/e.mp3", "audio/mpeg", nil
      ),
    ] as [(String, String?, String?, Int64?)])
  func `a file is found in the module of RSS 1.0`(
    inside: String, url: String?, type: String?, length: Int64?
  ) throws {
    let expected = url.map { [Enclosure(url: $0, type: type, length: length)] } ?? []

    #expect(try rssItem("<title>t</title>" + inside).enclosures == expected)
  }

  @Test(arguments: [
    ("0", nil), ("", nil), ("-1", nil), ("12 MB", nil), (" 12 ", 12), ("99999999999999999999", nil),
  ])
  func `a length is a number above zero or nil`(text: String, expected: Int64?) throws {
    #expect(
      try rssItem("<enclosure url='https://a.example/x' length='\(text)'/>").enclosures.first?.length
        == expected)
  }
}
