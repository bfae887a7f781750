//! `export_scorers!`: makes a library of scorers.

/// Makes the crate a plugin that exports these scorers. Use it once, in a crate of type `cdylib`.
///
/// It writes the metadata section, and one root module whose every entry is guarded against panics.
#[macro_export]
macro_rules! export_scorers {
    ($($scorer:path),+ $(,)?) => {
        #[doc(hidden)]
        mod autoscorer_exports {
            #[allow(unused_imports)]
            use super::*;
            use $crate::metadata;
            use $crate::text::Text;

            struct Library;

            impl $crate::abi::Exports for Library {
                const SCORERS: &'static [&'static dyn $crate::abi::Entry] = &[$(&$scorer),+];
                const METADATA: &'static [u8] = &METADATA;
                const PANIC_ABORTS: bool = cfg!(panic = "abort");
            }

            const TEXT: Text = Text::Joined(&[
                Text::Raw("{\"format\":1,\"api\":"),
                Text::Quoted(metadata::API_VERSION),
                Text::Raw(",\"rustc\":"),
                Text::Quoted(metadata::RUSTC),
                Text::Raw(",\"panic\":"),
                Text::Quoted(if cfg!(panic = "abort") { "abort" } else { "unwind" }),
                Text::Raw(",\"package\":"),
                Text::Quoted(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"))),
                Text::Raw(",\"scorers\":["),
                Text::Listed(&[$(<$scorer as $crate::scorer::MetadataText>::TEXT),+]),
                Text::Raw("]}"),
            ]);

            // What a library says about itself has to be in the file, whether or not anything refers to it.
            #[allow(unsafe_code)]
            #[used]
            #[unsafe(link_section = ".autoscorer")]
            static METADATA: [u8; TEXT.len()] = TEXT.render();

            // The name is abi_stable's: mangled by its own rules, looked up by the host.
            #[allow(unsafe_code, non_upper_case_globals)]
            #[unsafe(no_mangle)]
            pub static _1as_0lib_1header_0root_bmodule_bloader: $crate::abi_stable::library::LibHeader =
                $crate::abi::header::<Library>();
        }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_exported_name_and_section_are_the_ones_looked_up() {
        let name = stringify!(_1as_0lib_1header_0root_bmodule_bloader);
        assert_eq!(name, abi_stable::library::ROOT_MODULE_LOADER_NAME);
        assert_eq!(crate::metadata::SECTION, ".autoscorer");
    }
}
