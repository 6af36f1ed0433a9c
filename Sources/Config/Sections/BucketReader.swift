// `documents` as an S3 bucket in place of a directory.

import Core

extension Field {
  var isMapping: Bool {
    if case .mapping = node.content { true } else { false }
  }

  /// The bucket in place of a documents directory; nil with a mistake.
  ///
  /// With others its address is made up.
  func bucket() -> BucketSpec? {
    let example =
      "{s3: https://s3.example/news, region: eu-central-1, access-key: {env: S3_KEY}, "
      + "secret-key: {file: /etc/bgfetch/s3}, path-style: true}"
    guard let keys = Section(self, path: "documents", expecting: "a path, or \(example)") else { return nil }
    var place: WebAddress?
    var isInsecure = false
    var spec = BucketSpec(address: "https://missing.invalid")
    var access: SecretText?
    keys.read("s3", into: &place) { $0.bucketAddress() }
    keys.read("region", into: &spec.region) { $0.region() }
    keys.read("access-key", into: &access) { field in
      field.secretText(expecting: "the access key") { $0.headerValue() }
    }
    keys.read("secret-key", into: &spec.secretKey) { $0.secret() }
    keys.read("path-style", into: &spec.hasPathStyle) { $0.flag() }
    keys.read("insecure", into: &isInsecure) { $0.flag() }
    for (key, isMissing, cure) in [
      ("s3", keys["s3"] == nil, "write s3: https://s3.example/news"),
      ("access-key", keys["access-key"] == nil, "write access-key: {env: NAME}"),
      ("secret-key", keys["secret-key"] == nil, "write secret-key: {file: PATH}"),
    ] where isMissing {
      report("\(name) has no \(key)", cure: cure)
    }
    if let access { spec.accessKey = access }
    if let place {
      spec.address = place.ofBucket
      keys["s3"]?.check(place, spec, isInsecure: isInsecure)
    }
    return spec
  }

  private func bucketAddress() -> WebAddress? {
    guard let text = someText(expecting: "a URL such as https://s3.example/news") else { return nil }
    if reportSpace(inURL: text) { return nil }
    guard let address = WebAddress(text), !address.hasUser, !text.utf8.contains(UInt8(ascii: "?")) else {
      report(
        "\(name) is not an http or https URL without user and query",
        cure: "write the address of the bucket, such as https://s3.example/news")
      return nil
    }
    return address
  }

  private func check(_ address: WebAddress, _ spec: BucketSpec, isInsecure: Bool) {
    if address.scheme == "http", !isInsecure, !address.isLoopback {
      report(
        "\(name) sends files as clear text",
        cure: "write https://, or add insecure: true in a network you trust")
    }
    if spec.hasPathStyle {
      guard spec.parts.bucket.utf8.count(where: { $0 == UInt8(ascii: "/") }) < 3 else { return }
      report(
        "\(name) names no bucket", cure: "write https://\(shown(address.host))/BUCKET, or path-style: false")
    } else if address.literalAddress != nil || address.host.hasPrefix("s3.") || address.host.hasPrefix("s3-")
    {
      report(
        "\(name) has the bucket in its path, not in its host",
        cure: "add path-style: true, or write https://BUCKET.\(shown(address.host))")
    }
  }

  private func region() -> String? {
    guard let text = someText(expecting: "a region such as eu-central-1") else { return nil }
    guard text.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }) else {
      report(
        "\(name) has other characters than letters, digits and -", cure: "write a region such as eu-central-1"
      )
      return nil
    }
    return text
  }
}

extension WebAddress {
  fileprivate var isLoopback: Bool {
    let blocks = ["127.0.0.0/8", "::1"].compactMap(AddressBlock.init)
    return literalAddress.map { address in blocks.contains { $0.contains(address) } } ?? false
  }

  /// The address with its path encoded as it is signed, and without slashes at its end.
  fileprivate var ofBucket: String {
    var reference = URIReference(normalized)
    let path = FileAddress.decoded(reference.path) ?? ""
    reference.path = objectPath(path.split(separator: "/").map { "/" + $0 }.joined())
    return reference.text
  }
}
