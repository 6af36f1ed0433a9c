// Signs requests to S3 with libcurl's AWS Signature Version 4, and sets the methods that only they have.

internal import CLate
import Core

extension Exchange {
  /// Signs a request with its name and password as the keys, which are not sent.
  ///
  /// libcurl 7.88 signs the path and the query as they are written (`objectPath`, `signedQuery`), and all fields. It guesses
  /// the checksum of a body wrongly, so that each request has `x-amz-content-sha256` (curl issue 9717).
  func setSignature(_ request: Request, _ region: String) throws(FetchFailure) {
    switch request.method {
    case .head: try check(bgfetch_curl_set_long(easy, CURLOPT_NOBODY, 1), "NOBODY")
    case .delete: try set(CURLOPT_CUSTOMREQUEST, "DELETE")
    case .put, nil: break
    }
    try set(CURLOPT_AWS_SIGV4, "aws:amz:\(region):s3")
  }
}
