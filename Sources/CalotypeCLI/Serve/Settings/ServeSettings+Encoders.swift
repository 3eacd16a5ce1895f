import CalotypeCore
import CalotypeServer

extension ServeSettings {
    /// Applies the settings of individual encoders.
    static func setEncoders(_ reader: inout SettingReader, in service: inout ImageService.Configuration) {
        var encoders = EncoderPreferences()
        encoders.isJPEGProgressive = reader.flag(.jpegProgressive)
        encoders.isPNGInterlaced = reader.flag(.pngInterlaced)
        encoders.quantizesPNG = reader.flag(.pngQuantize)
        encoders.maxPNGColorCount = reader.count(.pngColors)
        encoders.webPPreset = EncoderPreferences.WebPPreset(rawValue: reader.choice(.webPPreset))
        service.encodings.encoders = encoders
        service.encodings.nativeEfforts = [
            .webP: reader.count(.webPEffort), .avif: reader.count(.avifSpeed),
            .jpegXL: reader.count(.jxlEffort),
        ]
        service.encodings.keepsDepth = reader.flag(.preserveHDR)
        service.encodings.keepsSmallerOriginals = reader.flag(.keepSmallerOriginal)
        service.showsDamagedOriginals = reader.choice(.damagedImages) == "show"
    }
}
