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
  /// Whether the whole head of the response came.
  var hasHead = false
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
    case EMFILE, ENFILE: "too many files are open; raise the limit (ulimit -n)"
    // Not with libcurl's text, which may quote the address of a proxy with its password.
    default: "there is no connection" + (usesProxy ? "" : quoted)
    }
  }

  /// Whether the server sent a TLS alert about the client's certificate (RFC 8446 section 6.2).
  ///
  /// Only OpenSSL's text says so: libcurl's code may be the one for the server's certificate, or for a cut connection.
  fileprivate var isAboutClientCertificate: Bool {
    detail.contains("alert ") && ["certificate", "unknown ca"].contains(where: detail.contains)
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
    case CURLE_PEER_FAILED_VERIFICATION: "the server's certificate is not valid\(quoted)"
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT:
      "the client certificate does not work\(quoted); see auth.certificate"
    case CURLE_SSL_CACERT_BADFILE:
      "the certificates to trust cannot be read\(quoted); see network.ca-file"
    case CURLE_SSL_CONNECT_ERROR: "the TLS handshake failed\(quoted)"
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
    self =
      switch failure.code {
      case CURLE_COULDNT_RESOLVE_HOST where detail.contains("thread failed to start"):
        .transferLibrary(
          "no thread to resolve \(host): too many threads or too little memory; see ulimit -a and free")
      case CURLE_COULDNT_RESOLVE_HOST:
        .unresolved(host: host, detail: detail)
      // The answer of a SOCKS proxy; names for socks4 and socks5 are resolved here.
      case CURLE_PROXY where failure.proxyError == CURLPX_RESOLVE_HOST:
        .unresolved(host: host, detail: detail)
      case CURLE_PROXY where [CURLPX_NO_AUTH, CURLPX_USER_REJECTED].contains(failure.proxyError):
        .proxy("it refuses the login\(quoted)")
      case CURLE_PROXY:
        .other("the proxy cannot reach \(host)\(quoted)")
      case CURLE_COULDNT_RESOLVE_PROXY:
        .proxyUnreachable("its address is not valid, or its host cannot be found")
      case CURLE_COULDNT_CONNECT where failure.usesProxy:
        .proxyUnreachable(failure.connectProblem)
      case CURLE_COULDNT_CONNECT where failure.systemError == Int(ECONNREFUSED):
        .refused(host: host)
      case CURLE_COULDNT_CONNECT:
        .unreachable(host: host, detail: failure.connectProblem)
      case CURLE_OPERATION_TIMEDOUT:
        FetchFailure(timedOut: failure, request)
      case CURLE_PEER_FAILED_VERIFICATION:
        .proxy("its certificate is not valid\(quoted)")
      case CURLE_RECV_ERROR where detail.hasSuffix("chunked-encoding"), CURLE_WEIRD_SERVER_REPLY:
        .other("the server broke the rules of HTTP\(quoted)")
      case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_HTTP2,
        CURLE_HTTP2_STREAM:
        .cut(failure.cut)
      case CURLE_UNSUPPORTED_PROTOCOL:
        .other("the server does not speak HTTP\(quoted)")
      case CURLE_URL_MALFORMAT:
        .other("the address cannot be used\(quoted)")
      default:
        .other("the request failed\(quoted)")
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

  /// libcurl has one code for three time limits.
  private init(timedOut failure: CurlFailure, _ request: Request) {
    let network = request.network
    let limit = network.timeout
    // libcurl's limit starts earlier than the duration that it reports, noticeably so on a busy machine.
    let least = limit.seconds * 1000 - min(limit.seconds * 250, 1000)
    // The head of a download has the limit, its body has not.
    let isLimited = !request.isDownload || !failure.hasHead
    if isLimited, limit > .zero, failure.milliseconds >= least {
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
