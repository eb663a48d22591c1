import DaybookCrypto
import DaybookEncoding

extension Harness {
    /// Answers of time stamp authorities, tokens in logs, and certificates to trust.
    static let timeStamps = Harness(
        "time-stamps", longest: 2048, words: ["-----BEGIN CERTIFICATE-----\n", "Z"]
    ) { bytes in
        let trusted = try TrustedCertificates(pem: rootOfStamps)
        let request = TimeStampRequest(digest: SHA256.hash(Bytes("fuzz".utf8)), nonce: 7)
        if let token = try? TimeStampToken(answer: bytes, to: request) {
            try law("a token is part of its answer", token.bytes.count < bytes.count + 64)
            _ = try? token.verify(by: trusted)
        }
        if let token = try? TimeStampToken(bytes) {
            try law("a token stays what was read", token.bytes == bytes)
            // Bytes that no signature covers may differ; what is said may not.
            if (try? token.verify(by: trusted)) != nil {
                let isSaid = (try? token.check(isOf: request.digest)) != nil
                try law("nobody stamps but the authority", isSaid && token.time == timeOfStamp)
            }
        }
        _ = try? TrustedCertificates(pem: bytes)
    }

    /// When the authority of the kept inputs has stamped, once and never again.
    private static let timeOfStamp = Timestamp.parse("2026-11-27T20:32:43Z")

    /// Its root, whose key is gone.
    private static let rootOfStamps = Bytes(
        """
        -----BEGIN CERTIFICATE-----
        MIIBlzCCATygAwIBAgIUOL3a1f1VAinyKEdKeZ8pvMZWEowwCgYIKoZIzj0EAwIw
        KTENMAsGA1UEAwwEcm9vdDEYMBYGA1UECgwPRGF5Ym9vaydzIHRlc3RzMB4XDTI2
        MTEyNzIwMzI0MloXDTI3MDEyNjIwMzI0MlowKTENMAsGA1UEAwwEcm9vdDEYMBYG
        A1UECgwPRGF5Ym9vaydzIHRlc3RzMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        11eGNjnGERWEp3rzFe2X1vHk9P5Ca1MLyacvcbmsaZhcvzasELb2YFNbZOWyGx2b
        psl+Gn818+zZ/qpRzHKg4aNCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8E
        BAMCAgQwHQYDVR0OBBYEFLnaOLu8Ag/NqGTGOuEQb4Zc0s7tMAoGCCqGSM49BAMC
        A0kAMEYCIQCiBausx3z5uw8roWBuJdvFNDM/t2ih4ZzoiisN3SMyOwIhAMhoyNNg
        CgORukBqJjf2+ick4X6URum6OPk4WItXWtpv
        -----END CERTIFICATE-----

        """.utf8)
}
