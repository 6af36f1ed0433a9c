// The network of a run: secrets resolved, requests sent, files of feeds read.

import Core
import Machine
import Running

extension LiveWorld {
  var networkEffects: NetworkEffects {
    let (fetches, downloads) = (fetches, downloads)
    let invocation = state.invocation
    return NetworkEffects(
      access: { feed in
        loadCurl()
        return await Self.access(to: feed, invocation)
      },
      fetch: { request in
        await result { () throws(FetchFailure) in try await fetches.fetch(request) }
      },
      download: { request, receiver in
        await result { () throws(FetchFailure) in try await downloads.download(request, into: receiver) }
      },
      readFile: { path, limit, tag in
        switch await readFeedFile(path, limit: limit, unlessTagged: tag) {
        case nil: .failure(.suspended)
        case .success(let content): .success(content)
        case .failure(FileFailure(path: path, problem: .tooLarge(limit: limit))): .failure(.tooLarge(limit))
        case .failure(let failure): .failure(.file(fileText(failure)))
        }
      },
      run: { [openEnvironment] in await output(of: $0, $1, openEnvironment, in: invocation.home) },
      userAgent: Bgfetch.userAgent)
  }

  /// A feed's address and credentials, with every secret resolved.
  private static func access(
    to feed: FeedSpec, _ invocation: Invocation
  ) async -> Result<FeedAccess, FetchFailure> {
    let secrets = SecretReader(environment: invocation.environment)
    do throws(FetchFailure) {
      let isSecret = if case .secret = feed.source { true } else { false }
      var address = feed.address
      if isSecret { address = WebAddress(try await secrets.text(feed.url, for: "url")) }
      var access = try await secrets.access(
        to: address, isSecret: isSecret, feed.headers, feed.body)
      access.userAgent = feed.network.userAgent
      access.kind = feed.kind
      access.command = feed.command
      switch feed.authentication {
      case .password(let username, let password):
        access.setPassword(try await secrets.text(.secret(password), for: "password"), of: username)
      case .bearer(let token):
        access.credentials = .bearer(try await secrets.text(.secret(token), for: "bearer token"))
      case .certificate(let file, let key, let password):
        for path in [file, key] { try require(path, for: "certificate") }
        var certificate = ClientCertificate(file: file, key: key)
        if let password { certificate.password = try await secrets.text(.secret(password), for: "password") }
        access.credentials = .certificate(certificate)
      case .netrc:
        // libcurl itself does not check it.
        try require(invocation.home + "/.netrc", for: "netrc", isOptional: true)
        access.credentials = .netrc
      case nil: break
      }
      if let file = feed.cookies { access.cookies = try cookies(in: file, for: access.address.host) }
      return .success(access)
    } catch {
      return .failure(error)
    }
  }

  /// The cookies of a host in a file that no other user may have written.
  private static func cookies(
    in file: String, for host: String
  ) throws(FetchFailure) -> CookieJar {
    let bytes: [UInt8]
    do throws(FileFailure) {
      try FileSafety.require(file)
      bytes = try readFile(file, limit: ByteCount(4 << 20))
    } catch {
      throw .noSecret("cookies: \(fileText(error))")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let cookies = CookieJar(text, for: host) else {
      throw .noSecret("cookies: \(file) has no cookies; export it from the browser as cookies.txt (Netscape)")
    }
    return cookies
  }

  /// Refuses a file that another user may have written, or that is missing unless it is optional.
  private static func require(
    _ path: String, for key: String, isOptional: Bool = false
  ) throws(FetchFailure) {
    do throws(FileFailure) {
      try FileSafety.require(path)
    } catch {
      if isOptional { guard case .unsafe = error.problem else { return } }
      throw .noSecret("\(key): \(fileText(error))")
    }
  }
}

extension SecretReader {
  /// An address with header fields and a body, in which every secret is read.
  ///
  /// - Parameter section: the beginning of the names of keys in errors, such as `webhook.`.
  func access(
    to address: WebAddress?, isSecret: Bool, _ headers: [HeaderSpec], _ body: RequestBody?,
    section: String = ""
  ) async throws(FetchFailure) -> FeedAccess {
    guard let address else { throw .noSecret("\(section)url: it is not an http or https address") }
    var access = FeedAccess(address: address)
    access.isAddressSecret = isSecret
    for header in headers {
      if case .secret = header.value { access.secretFields.insert(header.name.lowercased()) }
      let value = try await text(header.value, for: "header \(header.name)")
      access.headers.append(HeaderField(header.name, value))
    }
    guard let body else { return access }
    var sent = SentBody(mediaType: body.mediaType)
    for piece in body.pieces {
      var value = ""
      if let secret = piece.secret {
        value = try await text(.secret(secret), for: section + "body")
      }
      sent.append(piece, value: value)
    }
    access.body = sent
    return access
  }

  /// The text of a value, whose secret is read; the purpose names it in the error.
  func text(_ value: SecretText, for purpose: String) async throws(FetchFailure) -> String {
    switch value {
    case .plain(let text): return text
    case .secret(let secret):
      do throws(SecretFailure) {
        return try await read(secret)
      } catch {
        throw .noSecret("\(purpose): \(secretText(error))")
      }
    }
  }
}

/// The output of the command of a feed.
private func output(
  of feed: FeedSpec, _ input: [UInt8], _ environment: [String: String], in home: String
) async -> Result<[UInt8], FetchFailure> {
  guard let program = feed.command.first else { return .failure(.command("the feed has no command")) }
  let (limit, timeout) = (feed.network.maxFeedSize, feed.network.timeout)
  var command = Command(
    program, Array(feed.command.dropFirst()),
    environment: environment.merging(["BGFETCH_FEED": feed.name.text]) { $1 }, directory: home,
    input: input, limit: .seconds(timeout.seconds), outputLimit: Int(clamping: limit.bytes))
  command.closesOutputAtLimit = true
  let result = await command.run()
  switch result.ending {
  case .cancelled: return .failure(.suspended)
  case _ where result.isOutputCut: return .failure(.tooLarge(limit))
  case .exited(0): return .success(result.output)
  case .exited(let status):
    let last = lastLine(of: String(decoding: result.errorTail, as: UTF8.self), limit: 300)
    return .failure(
      .command("\(program) ended with status \(status)" + (last.isEmpty ? "" : ": " + last)))
  case .signalled(let signal): return .failure(.command("\(program) was ended by signal \(signal)"))
  case .timedOut: return .failure(.timeout(timeout))
  case .couldNotStart(let failure): return .failure(.command(startText(failure)))
  }
}
