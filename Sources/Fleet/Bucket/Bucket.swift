// Objects of an S3 bucket: looks, uploads and deletions. Answers of the server are in BucketAnswer.

import Core
import Machine

/// A part of an S3 bucket, in which a store keeps its files.
///
/// Each object has the store's mark and the number of its transfer in its metadata. Only such objects are ever replaced or
/// deleted.
actor Bucket {
  private let spec: BucketSpec
  private let network: NetworkSettings
  private let userAgent: String
  private let mark: String
  private let loop: CurlLoop
  private let readKeys: @Sendable () async throws(DocumentsProblem) -> BucketKeys
  private let clock: any Clock<Duration>
  /// The keys, read at the first request.
  private var keys: Task<Result<BucketKeys, DocumentsProblem>, Never>?
  /// The keys that were read, for messages.
  private var hidden = HiddenWords.none
  /// Whether the bucket has answered, and the problem that it has since.
  private var isUsable = false
  private var lastProblem: DocumentsProblem?

  /// The most bytes of a key.
  private static let longestKey = 1024
  /// The most bytes of an answer that is a list, and of any other.
  private static let longestList = ByteCount(4 << 20)
  private static let longestAnswer = ByteCount(64 << 10)
  /// The number of times that a request is sent, and that an upload is tried.
  private static let tries = 3

  /// - Parameters:
  ///   - network: the proxy, the certificates and the limits of requests.
  ///   - mark: distinguishes this store's objects from those of other stores.
  ///   - loop: sends the requests.
  ///   - keys: gives the keys, once.
  ///   - clock: waits before a request is sent again.
  init(
    _ spec: BucketSpec, network: NetworkSettings, userAgent: String, mark: String, loop: CurlLoop,
    keys: @escaping @Sendable () async throws(DocumentsProblem) -> BucketKeys,
    clock: any Clock<Duration>
  ) {
    (self.spec, self.network, self.userAgent, self.mark, self.loop) = (spec, network, userAgent, mark, loop)
    (self.readKeys, self.clock) = (keys, clock)
  }

  // MARK: Objects

  /// An object; nil if there is none.
  func object(_ name: String) async throws(DocumentsProblem) -> StoredObject? {
    let answer = try await send(path(name), method: .head)
    switch answer.status {
    case 200..<300: return StoredObject(answer, mark: mark)
    case 404: return nil
    case 403:
      // Without the right to list the bucket AWS says this of a missing object, too.
      if let problem = await check() { throw problem }
      return nil
    default: throw problem(answer)
    }
  }

  /// Uploads a file under a name that is free, or belongs to this store and may be replaced.
  ///
  /// An object that the same transfer placed before, with the same bytes, is a success: its answer was lost.
  func place(
    _ placement: Placement, _ body: UploadBody
  ) async throws(DocumentsProblem) -> PlaceOutcome {
    let name = placement.intent.name
    guard (spec.parts.prefix + name).utf8.count <= Self.longestKey else {
      throw .nameRefused(path: path(name), detail: "the key is longer than \(Self.longestKey) bytes")
    }
    // Before bytes are sent for nothing, and because old servers ignore conditions.
    var found = try await object(name)
    var answer: Response?
    for _ in 1...Self.tries {
      var condition = HeaderField("If-None-Match", "*")
      if let found {
        if found.is(placement) { return .placed }
        let mayBeReplaced = placement.intent.replaces && found.transfer != nil
        guard found.transfer == placement.transfer || mayBeReplaced else { return .nameTaken }
        condition = HeaderField("If-Match", found.tag)
      }
      let end = try await put(placement, body, condition)
      answer = end
      if end.isSuccess { return .placed }
      // The name is taken or was given at the same time; or the object to replace, or the upload, is gone.
      guard [404, 409, 412].contains(end.status), end.errorCode != "NoSuchBucket" else { break }
      found = try await object(name)
    }
    guard let answer, answer.status != 412 else { return .nameTaken }
    throw problem(answer)
  }

  /// Deletes an object of this store; false if it is gone or has another owner, or another size if one is given.
  func remove(_ name: String, ofSize size: Int64?) async throws(DocumentsProblem) -> Bool {
    guard let found = try await object(name), found.transfer != nil, size == nil || found.size == size else {
      return false
    }
    let answer = try await send(path(name), method: .delete)
    guard answer.isSuccess || answer.status == 404 else { throw problem(answer) }
    return true
  }

  /// The sizes of all objects of this part of the bucket, by name, also of other programs.
  func sizes() async throws(DocumentsProblem) -> [String: Int64] {
    let (bucket, prefix) = spec.parts
    var sizes: [String: Int64] = [:]
    var query = ["list-type": "2", "prefix": prefix]
    while true {
      let before = sizes.count
      let answer = try await send(bucket + "?" + signedQuery(query), atMost: Self.longestList)
      guard answer.isSuccess else { throw problem(answer) }
      for object in answer.elements("Contents", atMost: 10_000) {
        func element(_ name: String) -> String? { xmlElements(name, in: object.utf8, atMost: 1).first }
        guard let key = element("Key"), key.hasPrefix(prefix),
          let size = element("Size").flatMap({ Int64($0) })
        else { continue }
        sizes[String(key.dropFirst(prefix.count))] = size
        query["start-after"] = key
      }
      // A server may repeat itself for ever.
      guard answer.elements("IsTruncated", atMost: 1).first == "true", sizes.count > before else {
        return sizes
      }
    }
  }

  private func put(
    _ placement: Placement, _ body: UploadBody, _ condition: HeaderField
  ) async throws(DocumentsProblem) -> Response {
    let name = placement.intent.name.split(separator: "/").last ?? ""
    let suffix = name.split(separator: ".").dropFirst().last?.lowercased() ?? ""
    let fields = [
      HeaderField("Content-Type", mediaType(ofExtension: suffix) ?? "application/octet-stream"),
      HeaderField(StoredObject.ownerField, "\(mark)/\(placement.transfer)"),
      HeaderField(StoredObject.digestField, body.sha256), condition,
    ]
    return try await send(path(placement.intent.name), fields: fields, upload: body)
  }

  // MARK: The bucket

  /// The problem of the bucket, which a list of its objects finds once.
  func check() async -> DocumentsProblem? {
    guard !isUsable, lastProblem == nil else { return lastProblem }
    let (bucket, prefix) = spec.parts
    let query = signedQuery(["list-type": "2", "max-keys": "1", "prefix": prefix])
    do throws(DocumentsProblem) {
      let answer = try await send(bucket + "?" + query, patience: min(network.timeout, .seconds(15)))
      guard answer.isSuccess else { throw problem(answer) }
      isUsable = true
      return nil
    } catch {
      return error
    }
  }

  /// Makes a problem of the bucket count for all later files of this process.
  private func record(_ problem: DocumentsProblem) {
    if case .denied = problem { lastProblem = problem }
  }

  // MARK: Requests

  private func path(_ name: String) -> String { documentPath(spec.address, name) }

  private func problem(_ answer: Response) -> DocumentsProblem {
    let problem = bucketProblem(answer, at: spec.address, hiding: hidden)
    record(problem)
    return problem
  }

  /// Sends a request, again if the server is busy or the connection was cut.
  private func send(
    _ address: String, method: Request.Method? = nil, fields: [HeaderField] = [], upload: UploadBody? = nil,
    patience: Interval? = nil, atMost limit: ByteCount = longestAnswer
  ) async throws(DocumentsProblem) -> Response {
    guard let target = WebAddress(address) else {
      throw .nameRefused(path: address, detail: "it is not a valid address")
    }
    let keys = try await signingKeys()
    var request = Request(address: target, fields: fields, network: network)
    request.fields += [
      HeaderField("User-Agent", userAgent), HeaderField("Accept", "*/*"),
      HeaderField("x-amz-content-sha256", upload?.sha256 ?? emptyDigest),
    ]
    request.method = method
    request.signedRegion = spec.region
    request.wantsErrors = true
    request.credentials = .basic(username: keys.access, password: keys.secret)
    request.network.maxFeedSize = limit
    // A body that is sent more slowly is stalled.
    let timeToSend = Interval.seconds((upload?.size ?? 0) / max(1, network.stall.below.bytes))
    request.network.timeout = (patience ?? network.timeout) + timeToSend
    var attempt = 1
    while true {
      let failure: FetchFailure
      do throws(FetchFailure) {
        let answer = try await loop.fetch(request, sending: upload)
        guard [500, 502, 503, 504].contains(answer.status), attempt < Self.tries else { return answer }
        failure = .status(answer.status)
      } catch {
        failure = error
      }
      let isWorthwhile =
        if case .cut = failure { true } else if case .status = failure { true } else { false }
      guard isWorthwhile, attempt < Self.tries, !Task.isCancelled else {
        let problem = bucketProblem(failure, at: spec.address)
        if failure != .suspended { record(problem) }
        throw problem
      }
      try? await clock.sleep(for: .milliseconds(200 << (2 * attempt)))
      attempt += 1
    }
  }

  private func signingKeys() async throws(DocumentsProblem) -> BucketKeys {
    let task =
      keys ?? Task(executorPreference: ProgramTasks.executor) { [readKeys] in await result(readKeys) }
    keys = task
    let keys = try await task.value.get()
    hidden = HiddenWords([keys.access, keys.secret])
    return keys
  }
}

/// The SHA-256 of no bytes.
private let emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
