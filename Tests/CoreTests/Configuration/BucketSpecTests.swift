// Addresses of buckets and of their objects, as AWS signs them.

import Core
import Testing

@Suite struct BucketSpecTests {
  @Test(arguments: [
    ("https://s3.example/news/assets", "https://s3.example/news", "assets/"),
    ("https://s3.example/news/a/b%20c", "https://s3.example/news", "a/b c/"),
    ("https://s3.example/news", "https://s3.example/news", ""),
    ("http://127.0.0.1:8333/news/%C3%A9", "http://127.0.0.1:8333/news", "é/"),
  ])
  func `an address is that of a bucket and the beginning of keys`(
    address: String, bucket: String, prefix: String
  ) {
    let parts = BucketSpec(address: address).parts

    #expect(parts.bucket == bucket)
    #expect(parts.prefix == prefix)
  }

  @Test(arguments: [
    ("planet/a.mp3", "planet/a.mp3"), ("a-b_c.d~e", "a-b_c.d~e"), ("a b", "a%20b"), ("a+b", "a%2Bb"),
    ("é", "%C3%A9"), ("Ein Stück (1) & mehr.mp3", "Ein%20St%C3%BCck%20%281%29%20%26%20mehr.mp3"),
    ("100%", "100%25"), ("a?b#c", "a%3Fb%23c"), ("'*!;=@,:$[]", "%27%2A%21%3B%3D%40%2C%3A%24%5B%5D"),
    ("👍", "%F0%9F%91%8D"),
  ])
  func `the key of an object is encoded as it is signed`(name: String, path: String) {
    #expect(objectPath(name) == path)
    #expect(documentPath("https://s3.example/news", name) == "https://s3.example/news/" + path)
    #expect(documentPath("/srv/documents", name) == "/srv/documents/" + name)
  }

  @Test(arguments: [
    (["uploads": ""], "uploads="), (["uploads": "", "prefix": "a b/"], "prefix=a%20b%2F&uploads="),
    (["uploadId": "x/y+z=", "partNumber": "10"], "partNumber=10&uploadId=x%2Fy%2Bz%3D"), ([:], ""),
  ])
  func `a query is sorted, and each name has a value`(members: [String: String], query: String) {
    #expect(signedQuery(members) == query)
  }
}
