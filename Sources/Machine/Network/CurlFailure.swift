// Turns libcurl's error codes into our failures.

internal import CLate
import Core
private import Glibc

/// The facts that libcurl gives about a failed transfer.
struct CurlFailure {
  /// libcurl's code, never `CURLE_OK`.
  var code: CURLcode
  /// libcurl's own text, which enters messages only by `quoted`.
  var detail: String
  /// The `errno` that led to it; 0 if there is none.
  var systemError = 0
  var usesProxy = false
  /// Why a SOCKS proxy made no connection, as libcurl says.
  var proxyError = CURLPX_OK
  /// Whether the certificate of an HTTPS proxy could not be verified.
  var isProxyUntrusted = false
  /// The status of a proxy's response to `CONNECT`; 0 if there was none.
  var connectStatus = 0
  /// Whether the connection, including TLS, was established.
  var isConnected = false
  /// Whether a part of the response came.
  var hasResponse = false
  /// Whether the connection to the proxy was made, of which TLS and the server behind it may still be missing.
  var hasReachedProxy = false
  /// The duration of the transfer in milliseconds.
  var milliseconds: Int64 = 0

  /// libcurl's text for behind an explanation in our words.
  fileprivate var quoted: String { detail.isEmpty ? "" : " (libcurl: \(detail))" }

  /// Why there is no connection, in words.
  fileprivate var connectProblem: String {
    switch Int32(truncatingIfNeeded: systemError) {
    case ECONNREFUSED: "it refused the connection"
    case ENETUNREACH: "this machine has no route to its network"
    case EHOSTUNREACH: "there is no route to it"
    case ETIMEDOUT: "it does not answer"
    case EACCES, EPERM: "this machine does not allow the connection"
    case EADDRNOTAVAIL: "this machine has no address or port left to connect from"
    case EMFILE, ENFILE: "too many files are open; raise the limit (ulimit -n)"
    // Not with libcurl's text, which may quote the address of a proxy with its password.
    default: "there is no connection" + (usesProxy ? "" : quoted)
    }
  }

  /// Whether the server sent a TLS alert about the client's certificate (RFC 8446 section 6.2).
  ///
  /// Only OpenSSL's text says so: libcurl's code may be the one for the server's certificate, or for a cut connection.
  fileprivate var isAboutClientCertificate: Bool {
    detail.contains("alert ")
      && [
        "certificate required", "bad certificate", "unsupported certificate", "certificate revoked",
        "certificate expired", "certificate unknown", "unknown ca",
      ].contains(where: detail.contains)
  }

  /// Why the server and this machine did not agree on an encrypted connection, in words; nil if the failure has another cause.
  fileprivate func encryptionProblem(_ credentials: FeedAccess.Credentials?) -> String? {
    if isAboutClientCertificate {
      return if case .certificate = credentials {
        "the server refuses the client certificate\(quoted); see auth.certificate"
      } else {
        "the server wants a client certificate; see auth.certificate"
      }
    }
    return switch code {
    case CURLE_PEER_FAILED_VERIFICATION where isProxyUntrusted: nil
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_ISSUER_ERROR:
      "the server's certificate is not valid\(quoted)"
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT:
      "the client certificate does not work\(quoted); see auth.certificate"
    case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE:
      "the certificates to trust cannot be read\(quoted); see network.ca-file"
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
      "the TLS handshake failed\(quoted)"
    default: nil
    }
  }

  /// How the connection ended, in words.
  fileprivate var cut: String {
    // libcurl's text for a connection that the server closed before the request.
    let quoted = detail.hasPrefix("getpeername()") ? "" : quoted
    return hasResponse
      ? "the response was cut short: the connection ended before it did\(quoted)"
      : "the server closed the connection without a response\(quoted)"
  }
}

extension FetchFailure {
  init(_ failure: CurlFailure, of request: Request) {
    let host = request.address.host
    let (detail, quoted) = (failure.detail, failure.quoted)
    if failure.usesProxy, failure.connectStatus != 0, failure.connectStatus / 100 != 2 {
      self = .init(connectStatus: failure.connectStatus, host: host)
      return
    }
    if let problem = failure.encryptionProblem(request.credentials) {
      self = .tls(problem)
      return
    }
    switch failure.code {
    case CURLE_COULDNT_RESOLVE_HOST where detail.contains("thread failed to start"):
      self = .transferLibrary(
        "no thread to resolve \(host): too many threads or too little memory; see ulimit -a and free")
    case CURLE_COULDNT_RESOLVE_HOST:
      self = .unresolved(host: host, detail: detail)
    case CURLE_PROXY:
      self = .init(socks: failure, host: host)
    case CURLE_COULDNT_RESOLVE_PROXY:
      self = .proxyUnreachable("its address is not valid, or its host cannot be found")
    case CURLE_COULDNT_CONNECT where failure.usesProxy:
      self = .proxyUnreachable(failure.connectProblem)
    case CURLE_COULDNT_CONNECT where failure.systemError == Int(ECONNREFUSED):
      self = .refused(host: host)
    case CURLE_COULDNT_CONNECT:
      self = .unreachable(host: host, detail: failure.connectProblem)
    case CURLE_OPERATION_TIMEDOUT:
      self = .init(timedOut: failure, request)
    case CURLE_PEER_FAILED_VERIFICATION:
      self = .proxy("its certificate is not valid\(quoted)")
    case CURLE_RECV_ERROR where detail.hasSuffix("chunked-encoding"), CURLE_WEIRD_SERVER_REPLY:
      self = .other("the server broke the rules of HTTP\(quoted)")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_HTTP2,
      CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_SSL_SHUTDOWN_FAILED:
      self = .cut(failure.cut)
    case CURLE_UNSUPPORTED_PROTOCOL:
      self = .other("the server does not speak HTTP\(quoted)")
    case CURLE_BAD_CONTENT_ENCODING:
      self = .other("the server used a coding that nobody asked for\(quoted)")
    case CURLE_LOGIN_DENIED, CURLE_AUTH_ERROR:
      self = .other("the credentials cannot be used\(quoted); see auth")
    case CURLE_URL_MALFORMAT:
      self = .other("the address cannot be used\(quoted)")
    case CURLE_OUT_OF_MEMORY:
      self = .other("too little memory for the request")
    case CURLE_SEND_FAIL_REWIND, CURLE_READ_ERROR:
      self = .other("what the request sends could not be read again\(quoted)")
    case CURLE_WRITE_ERROR:
      self = .other("the response could not be received\(quoted)")
    default:
      self = .other("the request failed\(quoted)")
    }
  }

  /// The answer of an HTTP proxy to CONNECT, which is about the credentials, the target (RFC 9110 sections 15.6.3 to 15.6.5), or itself.
  private init(connectStatus status: Int, host: String) {
    self =
      switch status {
      case 407: .proxy("it requires credentials (407)")
      case 502...504: .other("the proxy cannot reach \(host): it answered \(status) to CONNECT")
      default: .proxy("it answered \(status) to CONNECT")
      }
  }

  /// The answer of a SOCKS proxy, about the target, the login or itself; names for socks4 and socks5 are resolved here.
  private init(socks failure: CurlFailure, host: String) {
    let quoted = failure.quoted
    self =
      switch failure.proxyError {
      case CURLPX_RESOLVE_HOST: .unresolved(host: host, detail: failure.detail)
      case CURLPX_REPLY_CONNECTION_REFUSED: .refused(host: host)
      case CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE, CURLPX_REPLY_TTL_EXPIRED,
        CURLPX_REPLY_GENERAL_SERVER_FAILURE, CURLPX_REQUEST_FAILED:
        .other("the proxy cannot reach \(host)\(quoted)")
      case CURLPX_REPLY_NOT_ALLOWED: .proxy("it does not allow connections to \(host)")
      case CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_IDENTD, CURLPX_IDENTD_DIFFER, CURLPX_GSSAPI,
        CURLPX_GSSAPI_PERMSG, CURLPX_LONG_USER, CURLPX_LONG_PASSWD:
        .proxy("it refuses the login\(quoted)")
      case CURLPX_CLOSED, CURLPX_RECV_CONNECT, CURLPX_RECV_AUTH, CURLPX_RECV_REQACK, CURLPX_RECV_ADDRESS,
        CURLPX_SEND_CONNECT, CURLPX_SEND_AUTH, CURLPX_SEND_REQUEST:
        .proxy("it closed the connection\(quoted)")
      case CURLPX_LONG_HOSTNAME: .other("\(host) is too long a name for a SOCKS proxy")
      default: .proxy("it broke the rules of its protocol\(quoted)")
      }
  }

  /// libcurl has one code for three time limits.
  private init(timedOut failure: CurlFailure, _ request: Request) {
    let network = request.network
    let limit = network.timeout
    // libcurl's limit starts earlier than the duration that it reports, noticeably so on a busy machine.
    let least = limit.seconds * 1000 - min(limit.seconds * 250, 1000)
    if !request.isDownload, limit > .zero, failure.milliseconds >= least {
      self = .timeout(limit)
    } else if failure.usesProxy, !failure.hasReachedProxy {
      self = .proxyUnreachable("connecting took longer than \(network.connectTimeout.text)")
    } else if !failure.isConnected {
      self = .connectTimeout(network.connectTimeout)
    } else {
      self = .stalled(network.stall)
    }
  }
}
