// The answers of an S3 server, which are as untrusted as those of any other: objects, elements of XML, problems.

import Core

/// An object of a bucket.
public struct StoredObject: Hashable, Sendable {
  public let size: Int64
  /// The entity tag, which changes with the bytes.
  let tag: String
  /// The transfer that placed it; nil if another store or program did.
  public let transfer: Int64?
  /// The checksum that bgfetch gave it.
  public let sha256: String?

  static let ownerField = "x-amz-meta-bgfetch"
  static let digestField = "x-amz-meta-sha256"

  /// Reads the answer to HEAD.
  init(_ answer: Response, mark: String) {
    size = answer["Content-Length"].flatMap { Int64($0) } ?? -1
    tag = answer["ETag"] ?? ""
    let owner = (answer[Self.ownerField] ?? "").split(separator: "/", omittingEmptySubsequences: false)
    transfer = owner.count == 2 && !mark.isEmpty && owner[0] == mark ? Int64(owner[1]) : nil
    sha256 = answer[Self.digestField]
  }
}

extension Response {
  /// Whether the request did what it asked for; a 200 may come before an error is known.
  var isSuccess: Bool { (200..<300).contains(status) && errorCode == nil }

  /// The code of an error, such as `NoSuchBucket`.
  var errorCode: String? {
    guard let error = elements("Error").first, let code = xmlElements("Code", in: error).first else {
      return nil
    }
    return String(code.prefix(64).filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
  }

  func elements(_ name: String) -> [String] { xmlElements(name, in: String(decoding: body, as: UTF8.self)) }
}

/// The contents of the elements with a name, in order, with references to characters resolved.
///
/// Enough for the few documents of S3, none of which has an element in one of the same name.
func xmlElements(_ name: String, in text: String) -> [String] {
  text.split(separator: "<\(name)>", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
    let parts = rest.split(separator: "</\(name)>", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    guard !parts[0].contains("<") else { return String(parts[0]) }
    return [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"), ("&#39;", "'"),
      ("&amp;", "&"),
    ]
    .reduce(String(parts[0])) { $0.replacing($1.0, with: $1.1) }
  }
}

/// The problem of an answer that refuses a request, with its cure.
func bucketProblem(_ answer: Response, at address: String) -> DocumentsProblem {
  let code = answer.errorCode
  let what = code ?? String(answer.status)
  switch (answer.status, code) {
  case (_, "SignatureDoesNotMatch"), (_, "InvalidAccessKeyId"):
    return .denied(
      path: address, detail: "the server does not accept the keys (\(what)); check access-key and secret-key")
  case (_, "RequestTimeTooSkewed"):
    return .denied(path: address, detail: "the clock of this machine is wrong (\(what)); set it")
  case (_, "NoSuchBucket"):
    return .denied(path: address, detail: "there is no such bucket (\(what)); create it, or correct s3")
  case (300..<400, _), (_, "AuthorizationHeaderMalformed"), (_, "IllegalLocationConstraintException"):
    return .denied(
      path: address, detail: "the bucket is in another place (\(what)); correct s3, region and path-style")
  case (401, _), (403, _):
    return .denied(
      path: address,
      detail: "the server refuses access (\(what)); check the keys and the policy of the bucket")
  case (429, _), (500..., _):
    return .denied(path: address, detail: "the server is in trouble (\(what)); the next run tries again")
  case (404, nil):
    return .denied(path: address, detail: "there is no S3 service (404); correct s3 and path-style")
  default: return .other(path: address, detail: "the server answered \(answer.status) (\(what))")
  }
}

/// The problem of a request without an answer.
func bucketProblem(_ failure: FetchFailure, at address: String) -> DocumentsProblem {
  .denied(
    path: address,
    detail: failure == .suspended ? "interrupted" : "\(failure.text); check the network, and s3")
}
