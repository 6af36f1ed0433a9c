// `file:` addresses: which paths they name, and which are refused.

import Core
import Testing

@Suite struct FileAddressTests {
  @Test(arguments: [
    ("file:///srv/x.xml", "/srv/x.xml"), ("file:/srv/x.xml", "/srv/x.xml"), ("FILE://localhost/x", "/x"),
    ("file:///a%20b/%C3%A9%25", "/a b/é%"), ("file://host/x", nil), ("file:x", nil), ("file:", nil),
    ("file:///a%", nil), ("file:///a%2", nil), ("file:///a%+1", nil), ("file:///a%00b", nil),
    ("file:///a%FF", nil), ("file:///a?b", nil), ("file:///a#b", nil), ("http://localhost/x", nil),
    ("/srv/x", nil), ("", nil),
  ])
  func `an address of a file names an absolute path of this machine`(text: String, path: String?) {
    #expect(FileAddress(text)?.path == path)
  }

  @Test(arguments: ["/srv/x.xml", "/a b/é%?#", "/~me/$x", "/"])
  func `a path is the path of its address`(path: String) {
    #expect(FileAddress(FileAddress(path: path).text)?.path == path)
  }
}
