// The answers of an S3 server, which are as untrusted as those of any other: objects, elements of XML, problems.

import Core

/// An object of a bucket.
struct StoredObject: Equatable, Sendable {
  let size: Int64
  /// The entity tag, which changes with the bytes.
  let tag: String
  /// The transfer that placed it; nil if another store or program did.
  let transfer: Int64?
  /// The checksum that bgfetch gave it.
  let sha256: String?

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

  /// Whether it is the file of a placement.
  func `is`(_ placement: Placement) -> Bool {
    transfer == placement.transfer && sha256 == placement.intent.sha256 && size == placement.intent.size
  }
}

extension Response {
  /// Whether the request did what it asked for; a 200 may come before an error is known.
  var isSuccess: Bool { (200..<300).contains(status) && errorCode == nil }

  /// The code of an error, such as `NoSuchBucket`.
  var errorCode: String? {
    guard let error = elements("Error", atMost: 1).first,
      let code = xmlElements("Code", in: error.utf8, atMost: 1).first
    else { return nil }
    return String(
      decoding: code.utf8.prefix(64).filter { $0.isASCIILetter || $0.isASCIIDigit }, as: UTF8.self)
  }

  func elements(_ name: String, atMost most: Int) -> [String] { xmlElements(name, in: body, atMost: most) }
}

/// The contents of the first elements with a name, in order, with references to characters resolved; the rest is not read if
/// the task is cancelled.
///
/// Enough for the few documents of S3, none of which has an element in one of the same name. It compares bytes, because
/// the Characters of a hostile document may be very long.
func xmlElements(_ name: String, in text: some Collection<UInt8>, atMost most: Int) -> [String] {
  let (start, end) = (Array("<\(name)>".utf8), Array("</\(name)>".utf8))
  let bytes = Array(text)
  var contents: [String] = []
  var rest = bytes[...]
  while contents.count < most, !Task.isCancelled, let tag = rest.firstRange(of: start),
    let stop = rest[tag.upperBound...].firstRange(of: end)
  {
    let content = bytes[tag.upperBound..<stop.lowerBound]
    // A content with elements stays as it is.
    let text =
      content.contains("<")
      ? Array(content)
      : content.withUnsafeBufferPointer {
        withoutReferences($0, .xml)
      }
    contents.append(String(decoding: text, as: UTF8.self))
    rest = rest[stop.upperBound...]
  }
  return contents
}

/// The problem of an answer that refuses a request, with its cure.
///
/// - Parameter hidden: the keys, which a server could repeat.
func bucketProblem(
  _ answer: Response, at address: String, hiding hidden: HiddenWords = .none
) -> DocumentsProblem {
  let code = answer.errorCode.map { libraryText($0, hiding: hidden) }
  let what = code ?? String(answer.status)
  let detail: String? =
    switch (answer.status, code) {
    case (_, "SignatureDoesNotMatch"), (_, "InvalidAccessKeyId"):
      "the server does not accept the keys (\(what)); check access-key and secret-key"
    case (_, "RequestTimeTooSkewed"):
      "the clock of this machine is wrong (\(what)); set it"
    case (_, "NoSuchBucket"):
      "there is no such bucket (\(what)); create it, or correct s3"
    case (300..<400, _), (_, "AuthorizationHeaderMalformed"), (_, "IllegalLocationConstraintException"):
      "the bucket is in another place (\(what)); correct s3 and region"
    case (401, _), (403, _):
      "the server refuses access (\(what)); check the keys and the policy of the bucket"
    case (429, _), (500..., _):
      "the server is in trouble (\(what)); the next run tries again"
    case (404, nil):
      "there is no S3 service (404); correct s3"
    default: nil
    }
  if let detail { return .denied(path: address, detail: detail) }
  return .other(path: address, detail: "the server answered \(answer.status) (\(what))")
}

/// The problem of a request without an answer.
func bucketProblem(_ failure: FetchFailure, at address: String) -> DocumentsProblem {
  let detail =
    switch failure {
    case .suspended: "interrupted"
    case .tooLarge(let limit):
      "the server's answer is larger than \(limit.text), which no S3 server sends; correct s3"
    default: "\(failure.text); check the network, and s3"
    }
  return .denied(path: address, detail: detail)
}
