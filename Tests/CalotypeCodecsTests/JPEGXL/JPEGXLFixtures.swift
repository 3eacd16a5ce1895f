import FoundationEssentials

/// JPEG XL files that the encoder of this package cannot write, written with plain libjxl 0.7.
enum JPEGXLFixtures {
    /// 256 × 256 16-bit gray pixels from 0 to 65,535; lossless, in a container.
    static let sixteenBits = data(
        """
        AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAAJanhsbAoAAADYanhsY/8Kf/ADFDcCCAIBAAgDSyg0Jv5G4R4JCZNE
        jEjY+DEGL9vaAQAaKDCHAfj///////+r7/3/////////////////////////////////////////////////////////////////
        //////9/nZT/////////////////////////////////////////////////////////////////////////D4r8////////////
        /////////////////////////////////////////wE=
        """
    )

    /// 9 × 1 grays of 0, 32, …, 255 in BT.2100 with the PQ curve; lossless.
    static let pq = data(
        """
        /woAABAIICCPHnE4AAAAAAQIAgEATABLGIsVUlwgAQ88AMYYY4zRAAAA
        """
    )

    /// The same image as XYB.
    static let pqAsXYB = data(
        """
        /woAABAIICGPHnE4AAAAAAQAE4gAXAH//6oCAFChMsq4wcu5ni8/dFhM27jO0FbbFpYkioxjk3QChySxNjHjHrsw0uGYM+w5BA5m
        G5UkFkPwNpw7ABFJFQJKf89Tg3NNC6CnEQAUYYHrAlsBMBA=
        """
    )

    /// 9 × 1 grays of 0, 32, …, 255 in BT.2100 with the HLG curve; lossless.
    static let hlg = data(
        """
        /woAABAIICDPQMThAAAAABAIAgEATABLGIsVUlwgAQ88AMYYY4zRAAAA
        """
    )

    /// (255, 0, 0), (200, 100, 50), (30, 160, 90), (128, 128, 128) in Display P3; lossless.
    static let displayP3 = data(
        """
        /woAAAaAgExuBAgCAQB0AEsYixVSXNdtzPHlewQhGnXqACJabI2Aiu5v+zIX
        """
    )

    /// An animation of 12 × 8 RGBA pixels that plays three times, in layers.
    ///
    /// - 50 ms: all (200, 10, 10);
    /// - 60 ms: 4 × 4 of (10, 200, 10) at 1, 1;
    /// - 70 ms: 4 × 4 of (10, 10, 200) at 6, 2, and over it 4 × 4 of (0, 200, 200), half transparent, at 7,
    ///   3;
    /// - 80 ms: all (90, 90, 90);
    /// - 5 ms: 4 × 4 of white at −2, −2.
    static let layers = data(
        """
        /woBBaPBmggIoIwAAGAASxiLFQDUjTEY7AUkAHikhM6G3AOnZKkDCIgIIAABBCKRPAIATABLGIsVwlFDlr6ABACj+Nq7JQAACIgw
        QAABBCIRAgBIAEsYixXCSUNdvoAEAJHzzQUAAAiIOGAAAQQikUYCAEAASxiLFcJJAuYFJAAwpB4AAAgIIJQAAFgASxiLFQDUjDEY
        5AUkAOCgsQAA/qIpAQiIDDAAAQQikQUBADwASxiLFcJJQV5AAoD+AAAA
        """
    )

    /// 8 × 8 gray pixels in two layers; the second has 1500 × 1500.
    static let largeLayer = data(
        """
        /wpBQFDcCAgCAgBEAEsYixVCufBJAgAAAAAAAAAACCITTMTNuEkAADAAAABAAARAAARAAARAAARAAARAAARAAARAAARAAARAAARA
        AARAAARAAARAAARAAARAAARAAARAAAQASygkxkVBwgwUJQk5AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMD
        """
    )

    /// 4 × 3 pixels of gray and alpha, orientation 6: pixel i is gray 20 i, alpha 255 − 10 i.
    static let grayAlpha = data(
        """
        /woQMAssilsCCAgQAJQASxiLFVJcFsptW9nikBe8oEE0SXcMEd/ghK4D+v+lmrO9HBcuAg==
        """
    )

    private static func data(_ base64: String) -> Data {
        // The texts above are Base64.
        Data(base64Encoded: base64.filter { !$0.isWhitespace }) ?? Data()
    }
}
