// `documents` as an S3 bucket in place of a directory.

import Core

extension BucketSpec {
  static let keys = Keys("documents", BucketSpec(address: "https://missing.invalid")) { keys in
    keys.row("s3", "URL", nil, "the address of the bucket, and perhaps of a part of it", isRequired: true)
    keys.key("region", \.region, .region, "the region for which requests are signed")
    keys.key(
      "access-key", \.accessKey,
      ValueType("text or secret") { field throws(Mistake) in try field.headerText() },
      isRequired: true, "the access key, which is a name")
    keys.optional("secret-key", \.secretKey, .secret, default: nil, isRequired: true, "the secret key")
    keys.row(
      "insecure", "true or false", "false",
      "whether files may be sent as clear text, to an http URL that is not of this machine")
  }
}

extension Field {
  /// The bucket in place of a documents directory.
  ///
  /// With a mistake its address is made up.
  func bucket() throws(Mistake) -> BucketSpec {
    let example =
      "{s3: https://s3.example/news, region: eu-central-1, access-key: {env: S3_KEY}, "
      + "secret-key: {file: /etc/bgfetch/s3}}"
    var spec = BucketSpec(address: "https://missing.invalid")
    let keys = try BucketSpec.keys.read(self, into: &spec, expecting: "a path, or \(example)")
    let isInsecure = try keys["insecure"]?.flag() ?? false
    for (key, value) in [
      ("s3", "https://s3.example/news"), ("access-key", "{env: NAME}"), ("secret-key", "{file: PATH}"),
    ] where !keys.has(key) {
      report("\(name) has no \(key)", cure: "write \(key): \(value)")
    }
    if let field = keys["s3"] {
      let address = try field.bucketAddress()
      spec.address = address.ofBucket
      try field.check(address, isInsecure: isInsecure)
    }
    return spec
  }

  private func bucketAddress() throws(Mistake) -> WebAddress {
    let text = try someText(expecting: "a URL such as https://s3.example/news")
    if let space = space(inURL: text) { throw space }
    guard let address = WebAddress(text), !address.hasUser, !text.utf8.contains("?") else {
      throw mistake(
        "\(name) is not an http or https URL without user and query",
        cure: "write the address of the bucket, such as https://s3.example/news")
    }
    return address
  }

  private func check(_ address: WebAddress, isInsecure: Bool) throws(Mistake) {
    if address.scheme == "http", !isInsecure, !isLoopback(address.host) {
      report(
        "\(name) sends files as clear text",
        cure: "write https://, or add insecure: true in a network you trust")
    }
    try require(
      !URIReference(address.ofBucket).path.isEmpty, "\(name) names no bucket",
      cure: "write https://\(shown(address.host))/BUCKET")
  }
}

extension ValueType<String> {
  fileprivate static let region = Self("text", write: { $0 }) { field throws(Mistake) in
    let text = try field.someText(expecting: "a region such as eu-central-1")
    try field.require(
      text.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == "-" }),
      "\(field.name) has other characters than letters, digits and -",
      cure: "write a region such as eu-central-1")
    return text
  }
}

extension WebAddress {
  /// The address with its path encoded as it is signed, and without slashes at its end.
  fileprivate var ofBucket: String {
    var reference = URIReference(normalized)
    let path = FileAddress.decoded(reference.path) ?? ""
    reference.path = objectPath(path.split(separator: "/").map { "/" + $0 }.joined())
    return reference.text
  }
}
