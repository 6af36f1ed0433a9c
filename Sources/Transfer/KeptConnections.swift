// Connections that are kept for another request, so that one can be looked at before it carries that.

internal import CCurl

/// Which socket a connection has, and whether it speaks HTTP/1; it lives on the loop's thread alone, longer than every
/// connection.
///
/// libcurl keeps a connection whose answer had more bytes than its `Content-Length` told, and takes the surplus for the
/// answer to the next request, which may be another feed's (seen in 7.88; since 8.0 it looks itself). With HTTP/1 no
/// server may send anything before it is asked (RFC 9112 section 9.3.2), so that what waits there is not the answer, and
/// below TLS at most its end. With HTTP/2 it may well be something else that is due.
final class KeptConnections {
  /// Both ends of a connection, which no other has at the same time.
  struct Ends: Hashable {
    var server: String
    var serverPort: Int32
    var local: String
    var localPort: Int32
  }

  private struct Connection {
    let socket: curl_socket_t
    var speaksHTTP1 = false
  }

  private var connections: [Ends: Connection] = [:]
  private var ends: [curl_socket_t: Ends] = [:]

  /// Notes the socket of a new connection; it is one of those that were made for it.
  func add(_ ends: Ends, oneOf made: [curl_socket_t]) {
    guard let socket = made.first(where: { bgfetch_curl_local_port($0) == ends.localPort }) else { return }
    connections[ends] = Connection(socket: socket)
    self.ends[socket] = ends
  }

  /// Notes that a connection brought an answer in HTTP/1.
  func noteHTTP1(_ ends: Ends) { connections[ends]?.speaksHTTP1 = true }

  /// Ends a connection that has bytes which nobody asked for; libcurl then sends the request over a new one, as it does
  /// where the server has closed the old one.
  func endIfSpoiled(_ ends: Ends) {
    guard let connection = connections[ends], connection.speaksHTTP1,
      bgfetch_curl_has_unread(connection.socket)
    else { return }
    bgfetch_curl_disconnect(connection.socket)
  }

  /// Closes a socket, of whatever connection.
  func close(_ socket: curl_socket_t) {
    if let ends = ends.removeValue(forKey: socket) { connections[ends] = nil }
    bgfetch_curl_close_socket(socket)
  }
}
