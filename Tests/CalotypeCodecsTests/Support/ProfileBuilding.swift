import Foundation

/// A colour profile assembled tag by tag.
///
/// - SeeAlso: ICC.1:2022 sections 7 to 10.
struct ProfileFile {
    var tags: [(name: String, value: Data)]
    var deviceClass = "mntr"
    var version = 0x0210_0000
    /// The number of bytes after the last value.
    var excess = 0

    var data: Data {
        var table = bigEndian32(tags.count)
        var values = Data()
        let start = 128 + 4 + 12 * tags.count
        for (name, value) in tags {
            table += Data(name.utf8) + bigEndian32(start + values.count) + bigEndian32(value.count)
            values += value + Data(count: (4 - value.count % 4) % 4)
        }
        values += Data(count: excess)
        let head =
            bigEndian32(start + values.count) + Data(count: 4) + bigEndian32(version)
            + Data("\(deviceClass)RGB XYZ ".utf8) + Data(count: 12) + Data("acsp".utf8) + Data(count: 28)
            + Self.xyz([0.9642, 1, 0.8249]).dropFirst(8)
        return head + Data(count: 128 - head.count) + table + values
    }

    static func xyz(_ values: [Double]) -> Data {
        Data("XYZ ".utf8) + Data(count: 4)
            + values.reduce(Data()) { $0 + bigEndian32(Int(($1 * 65536).rounded())) }
    }

    /// A list of equal steps: a power for each channel.
    static func steps(_ count: Int) -> Data {
        let power: [Float] = [1.1, 1, 0, 0]
        let segment =
            Data("parf".utf8) + Data(count: 8)
            + power.reduce(Data()) { $0 + bigEndian32(Int($1.bitPattern)) }
        let curve = Data("curf".utf8) + Data(count: 4) + bigEndian16(1) + bigEndian16(0) + segment
        let place = bigEndian32(36) + bigEndian32(curve.count)
        let step =
            Data("cvst".utf8) + Data(count: 4) + bigEndian16(3) + bigEndian16(3) + place + place + place
            + curve
        let entry = bigEndian32(16 + 8 * count) + bigEndian32(step.count)
        var table = Data()
        for _ in 0..<count { table += entry }
        return Data("mpet".utf8) + Data(count: 4) + bigEndian16(3) + bigEndian16(3) + bigEndian32(count)
            + table
            + step
    }
}

/// Minimal colour profiles: three primaries and a power tone curve.
enum TestProfiles {
    /// RGB with red and green swapped.
    static let swapped = swappedFile.data

    static let swappedFile = matrix(
        red: [0.3851, 0.7169, 0.0971],
        green: [0.4361, 0.2225, 0.0139],
        blue: [0.1431, 0.0606, 0.7141]
    )

    /// Display P3 as Apple's profile has it, with the curve as a table of 1,024 values.
    static let displayP3: ProfileFile = {
        let levels = (0..<1_024).map { index in
            let level = Double(index) / 1_023
            return level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4)
        }
        let table = levels.reduce(Data("curv".utf8) + Data(count: 4) + bigEndian32(1_024)) {
            $0 + bigEndian16(Int(($1 * 65_535).rounded()))
        }
        return matrix(
            red: [0.51512, 0.24120, -0.00105],
            green: [0.29198, 0.69225, 0.04189],
            blue: [0.15710, 0.06657, 0.78407],
            curve: table
        )
    }()

    private static func matrix(
        red: [Double],
        green: [Double],
        blue: [Double],
        curve given: Data? = nil
    ) -> ProfileFile {
        let gamma = Data("curv".utf8) + Data(count: 4) + bigEndian32(1) + bigEndian16(0x0233) + Data(count: 2)
        let curve = given ?? gamma
        return ProfileFile(tags: [
            ("wtpt", ProfileFile.xyz([0.9642, 1, 0.8249])), ("rXYZ", ProfileFile.xyz(red)),
            ("gXYZ", ProfileFile.xyz(green)), ("bXYZ", ProfileFile.xyz(blue)),
            ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
        ])
    }
}
