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
      self = .proxy("it answered \(failure.connectStatus) to CONNECT")
      return
    }
    switch failure.code {
    case CURLE_COULDNT_RESOLVE_HOST where detail.contains("thread failed to start"):
      self = .transferLibrary(
        "no thread to resolve \(host): too many threads or too little memory; see ulimit -a and free")
    case CURLE_COULDNT_RESOLVE_HOST:
      self = .unresolved(host: host, detail: detail)
    case CURLE_PROXY:
      self = .proxy("it broke the rules of its protocol\(quoted)")
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
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_ISSUER_ERROR:
      self = .tls("the server's certificate is not valid\(quoted)")
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT:
      self = .tls("the client certificate does not work\(quoted); see auth.certificate")
    case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE:
      self = .tls("the certificates to trust cannot be read\(quoted); see network.ca-file")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
      self = .tls("the TLS handshake failed\(quoted)")
    // TLS 1.3 servers refuse only after the handshake, when the request is under way.
    case CURLE_RECV_ERROR where detail.contains("alert certificate required"),
      CURLE_SEND_ERROR where detail.contains("alert certificate required"):
      self = .tls("the server wants a client certificate; see auth.certificate")
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
