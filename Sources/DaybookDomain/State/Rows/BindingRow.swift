package import DaybookEncoding

/// An address or key that a caller was given, and when.
package struct BindingRow: StateRow {
    package var binding: BindingGranted
    package var time: UInt64

    package init(binding: BindingGranted, time: UInt64) {
        self.binding = binding
        self.time = time
    }

    package var coded: CBOR {
        .record(["binding": binding.coded, "time": .unsigned(time)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        binding = try BindingGranted(try fields.fields("binding"))
        time = try fields.number("time")
    }
}
