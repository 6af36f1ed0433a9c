// Turns libcurl's error codes into our failures.

internal import CCurl
import Core
private import Glibc

/// The facts that libcurl gives about a failed transfer.
struct CurlFailure {
  /// libcurl's code, never `CURLE_OK`.
  var code: CURLcode
  var detail: String
  /// The `errno` that led to it; 0 if there is none.
  var systemError = 0
  var usesProxy = false
  /// The status of a proxy's response to `CONNECT`; 0 if there was none.
  var connectStatus = 0
  /// Whether the connection, including TLS, was established.
  var isConnected = false
  /// The duration of the transfer in milliseconds.
  var milliseconds: Int64 = 0
}

extension FetchFailure {
  init(_ failure: CurlFailure, of request: Request) {
    let host = request.address.host
    let detail = failure.detail
    if failure.usesProxy, failure.connectStatus != 0, failure.connectStatus / 100 != 2 {
      self = .proxy(detail)
      return
    }
    switch failure.code {
    case CURLE_COULDNT_RESOLVE_HOST:
      self = .unresolved(host: host, detail: detail)
    case CURLE_PROXY:
      self = .proxy(detail)
    case CURLE_COULDNT_RESOLVE_PROXY:
      self = .proxyUnreachable(detail)
    case CURLE_COULDNT_CONNECT where failure.usesProxy:
      self = .proxyUnreachable(detail)
    case CURLE_COULDNT_CONNECT where failure.systemError == Int(ECONNREFUSED):
      self = .refused(host: host)
    case CURLE_COULDNT_CONNECT:
      self = .unreachable(host: host, detail: detail)
    case CURLE_OPERATION_TIMEDOUT:
      self = .init(timedOut: failure, request)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      self = .tls(detail)
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      // TLS 1.3 servers refuse only after the handshake, when the request is under way.
      self =
        detail.contains("alert certificate required")
        ? .tls("the server wants a client certificate; see auth.certificate")
        : .cut(detail.hasPrefix("getpeername()") ? "the server closed the connection" : detail)
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3,
      CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR, CURLE_SSL_SHUTDOWN_FAILED:
      self = .cut(detail)
    default:
      self = .other(detail)
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
    } else if !failure.isConnected {
      self = .connectTimeout(network.connectTimeout)
    } else {
      self = .stalled(network.stall)
    }
  }
}
