import CalotypeCore
import Foundation

@testable import CalotypeCLI

/// Small pictures for the tool to load.
enum Pictures {
    static func jpeg(seed: UInt64 = 1) throws -> Data {
        try DemoPicture(kind: .photograph, size: PixelSize(width: 120, height: 80), seed: seed).encoded()
    }

    static func png(seed: UInt64 = 1) throws -> Data {
        try DemoPicture(kind: .poster, size: PixelSize(width: 64, height: 48), seed: seed).encoded()
    }
}
