import CalotypeCore
import CalotypeLoading
import CalotypeServer
import Foundation

/// The settings of the watermark.
extension ServeSettings {
    /// Returns the image of the `watermark` option; `nil` for none.
    static func watermark(_ reader: inout SettingReader) -> WatermarkImage? {
        let (text, path, address) = (
            reader.text(.watermarkData), reader.text(.watermarkPath), reader.text(.watermarkURL)
        )
        let given = [ServeSetting.watermarkData, .watermarkPath, .watermarkURL].filter(reader.isGiven)
        if given.count > 1 {
            let names = given.map(\.name).joined(separator: " and ")
            reader.refuse(given[1], "\(names) are set; remove all but one")
        }
        if !text.isEmpty { return watermark(&reader, data: text) }
        if !path.isEmpty {
            return WatermarkImage(file: URL(filePath: path, directoryHint: .notDirectory).absoluteURL)
        }
        return address.isEmpty ? nil : watermark(&reader, source: address)
    }

    private static func watermark(_ reader: inout SettingReader, data text: String) -> WatermarkImage? {
        guard let data = Data(base64Encoded: text), ImageFormat(sniffing: data) != nil else {
            reader.refuse(.watermarkData, "it is not an image in base64; use base64 -w0 logo.png")
            return nil
        }
        return WatermarkImage(data: data)
    }

    private static func watermark(_ reader: inout SettingReader, source text: String) -> WatermarkImage? {
        do throws(RequestError) {
            return try WatermarkImage(source: text)
        } catch {
            reader.refuse(.watermarkURL, "\(error.detail); write it like https://images.example/logo.png")
            return nil
        }
    }

    /// Returns the factor for the opacity of watermarks.
    static func watermarkOpacity(_ reader: inout SettingReader) -> Double {
        let text = reader.text(.watermarkOpacity)
        let isDecimal = text.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
        guard isDecimal, let opacity = Double(text), (0...1).contains(opacity) else {
            let shown = SafeText.shortened(text)
            reader.refuse(.watermarkOpacity, "“\(shown)” is not a number in 0…1, such as 0.5")
            return 1
        }
        return opacity
    }

    /// Returns the reason why the watermark's URL cannot be loaded, or `nil`.
    static func watermarkProblem(_ sources: Sources, _ service: ImageService.Configuration) -> String? {
        guard let source = service.watermark?.source else { return nil }
        if source.scheme == "local" {
            return service.localRoot == nil ? "local:/// has no folder; set local-root" : nil
        }
        guard sources.addresses.refusesHost(source.host) else { return nil }
        return "\(source.host) is not a public Internet address; add it to allow-private-sources"
    }
}
