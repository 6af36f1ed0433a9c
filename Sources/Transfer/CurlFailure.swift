// What libcurl says of a transfer that failed, turned into a failure of ours.

internal import CCurl
import Core
private import Glibc

/// The end of a transfer as libcurl tells it.
struct CurlFailure {
  /// libcurl's code, never `CURLE_OK`.
  var code: CURLcode
  /// Its own words.
  var detail: String
  /// The `errno` of the last system call that mattered; 0 if there is none.
  var systemError = 0
  /// Whether a proxy was used.
  var usesProxy = false
  /// What a proxy answered to `CONNECT`; 0 if none was asked.
  var connectStatus = 0
  /// Whether the connection, with TLS, came about.
  var isConnected = false
  /// How long it took from start to end, in milliseconds.
  var milliseconds: Int64 = 0
}

extension FetchFailure {
  /// The failure of a request.
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
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2,
      CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR,
      CURLE_SSL_SHUTDOWN_FAILED:
      self = .cut(detail)
    default:
      self = .other(detail)
    }
  }

  /// libcurl has one code for three limits of time.
  private init(timedOut failure: CurlFailure, _ request: Request) {
    let network = request.network
    let limit = network.timeout
    // libcurl's limit begins a little before the time that it tells of, on a busy machine a good deal.
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
