import Foundation

/// A value in a JSON file, with its written type.
enum SettingsFileValue: Codable, Equatable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([SettingsFileValue])
    case object([String: SettingsFileValue])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = Self.decode(Bool.self, value) {
            self = .flag(flag)
        } else if let number = Self.decode(Double.self, value) {
            self = .number(number)
        } else if let text = Self.decode(String.self, value) {
            self = .text(text)
        } else if let list = Self.decode([SettingsFileValue].self, value) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: SettingsFileValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .flag(let flag): try value.encode(flag)
        case .number(let number): try value.encode(number)
        case .text(let text): try value.encode(text)
        case .list(let list): try value.encode(list)
        case .object(let members): try value.encode(members)
        }
    }

    /// Returns `nil` for a value of another type.
    private static func decode<Value: Decodable>(
        _ type: Value.Type,
        _ container: any SingleValueDecodingContainer
    ) -> Value? {
        do {
            return try container.decode(type)
        } catch {
            // The caller tries the next type.
            return nil
        }
    }

    /// Returns the error if a setting cannot have a value of this type, or `nil` if it can.
    func mistake(as kind: ServeSetting.Kind) -> String? {
        switch (self, kind) {
        case (.null, _): "null is not a value; remove the setting"
        case (.flag, .flag), (.flag, .ranges): nil
        case (.number, .count), (.number, .bytes), (.number, .duration): nil
        case (.text, _), (.object, .origins): nil
        case (.list(let values), .list), (.list(let values), .ranges): Self.mistake(ofList: values)
        case (_, .flag): "it must be true or false"
        case (_, .count): "it must be a number"
        case (_, .bytes): "it must be a number of bytes or a string such as \"64MB\""
        case (_, .duration): "it must be a number of seconds or a string such as \"90s\""
        case (_, .list): "it must be a list of strings such as [\"a\", \"b\"]"
        case (_, .ranges): "it must be true, false or a list of strings such as [\"10.1.2.0/24\"]"
        case (_, .origins): "it must be an object of origins such as {\"https://images.example\": {…}}"
        case (_, .text), (_, .address), (_, .choice): "it must be a string in quotes"
        }
    }

    private static func mistake(ofList values: [SettingsFileValue]) -> String? {
        guard !values.isEmpty else { return "the list is empty; remove the setting" }
        let areTexts = values.allSatisfy { if case .text = $0 { true } else { false } }
        return areTexts ? nil : "each entry of the list must be a string in quotes"
    }
}
