// The part of swift-crypto that the documents use, for `Scripts/snippets`.

import Foundation

public enum SHA256 {
    public static func hash(data: Data) -> [UInt8] { [] }
}

public enum Insecure {
    public enum SHA1 {
        public static func hash(data: Data) -> [UInt8] { [] }
    }
}
