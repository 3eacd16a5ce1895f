import CalotypeCodecs
import CalotypeCore
import Foundation
import TestSupport
import Testing

@testable import CalotypeCLI

@Suite(.gated) struct InfoReportTests {
    private static let info = ImageInfo(
        format: .gif,
        size: PixelSize(width: 4, height: 3),
        frameCount: 2,
        pixelFormat: .rgb8
    )

    private func object(_ report: InfoReport) throws -> [String: Any] {
        let json = Data(report.record.json.utf8)
        return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    }

    @Test func `details are members of the JSON, and unknown ones are null or absent`() throws {
        var exif = Exif()
        (exif.cameraModel, exif.isoSpeed, exif.exposureTime) = ("X \"1\"\u{1B}[31m", 400, 0.004)
        exif.location = Exif.Location(latitude: -33.5, longitude: 151.25)
        var report = InfoReport(path: "a.gif", info: Self.info)
        report.details = ImageDetails(
            exif: exif,
            density: PixelDensity(horizontal: 300, vertical: 72.5),
            chromaSubsampling: .quarter,
            pageCount: 3
        )
        report.frameDurations = [.milliseconds(40), .milliseconds(250)]
        let json = try object(report)
        #expect(json["pages"] as? Int == 3 && json["chromaSubsampling"] as? String == "4:2:0")
        #expect(json["densityX"] as? Int == 300 && json["densityY"] as? Double == 72.5)
        #expect(json["profileName"] is NSNull && json["frameDurationsMs"] as? [Int] == [40, 250])
        let shown = try #require(json["exif"] as? [String: Any])
        #expect(Set(shown.keys) == ["cameraModel", "isoSpeed", "exposureTime", "location"])
        #expect(shown["isoSpeed"] as? Int == 400 && shown["exposureTime"] as? Double == 0.004)
        #expect(shown["cameraModel"] as? String == "X \"1\"\u{1B}[31m")
        let location = try #require(shown["location"] as? [String: Any])
        #expect(location["latitude"] as? Double == -33.5 && location["altitude"] == nil)
        report.details = ImageDetails()
        report.frameDurations = []
        let plain = try object(report)
        #expect(plain["exif"] == nil && plain["frameDurationsMs"] == nil && plain["pages"] as? Int == 1)
    }

    @Test func `values of groups and lists are joined in tables, and a number that JSON lacks is null`() {
        let list = Record.Value.list([.number(1), .number(2.5), .flag(true)])
        #expect(list.text == "1, 2.5, yes")
        let group = Record.Value.group([
            Record.Member(name: "a", value: .count(1)), Record.Member(name: "b", value: nil),
            Record.Member(name: "c", value: .number(.nan)),
        ])
        let record = Record([("list", list), ("group", group)])
        #expect(record.json == #"{"list":[1,2.5,true],"group":{"a":1,"c":null}}"#)
    }
}
