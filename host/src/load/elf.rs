//! The look at a library before any of its code runs: is it whole, is it ours, can this host open it?
//!
//! Opening a cut library kills the process inside the dynamic loader, so everything that can be known from the bytes is
//! settled here.

use autoscorer_plugin_api::metadata::{Abi, ApiVersion, Metadata, SECTION};
use object::elf::{self, FileHeader64};
use object::endian::LittleEndian;
use object::read::ReadRef;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};

use super::refusal::Finding;

/// The machine this host runs on, as ELF numbers and names it.
const MACHINE: (u16, &str) =
    if cfg!(target_arch = "aarch64") { (elf::EM_AARCH64, "aarch64") } else { (elf::EM_X86_64, "x86_64") };

/// More metadata than this no library needs.
const MAX_METADATA: u64 = 1 << 20;

/// The metadata of a library that is whole, whichever host it was made for.
pub fn inspect<'d>(data: impl ReadRef<'d>) -> Result<Metadata, Finding> {
    let header = header(data)?;
    check_whole(header, data)?;
    metadata(header, data)
}

fn header<'d>(data: impl ReadRef<'d>) -> Result<&'d FileHeader64<LittleEndian>, Finding> {
    let library = format!("an ELF shared library for {}", MACHINE.1);
    let not_elf = |found: String| {
        Finding::new(
            found,
            &library,
            "build a crate of type cdylib, or a shared library in C, and copy its .so file here",
        )
    };
    let size = data.len().unwrap_or(0);
    if size == 0 {
        return Err(not_elf("an empty file".to_owned()));
    }
    let start = data.read_bytes_at(0, size.min(20)).unwrap_or_default();
    if !start.starts_with(&elf::ELFMAG) {
        return Err(not_elf(format!("a file that begins with \"{}\"", start[..start.len().min(12)].escape_ascii())));
    }
    let Some((class, order)) = start.get(4).zip(start.get(5)) else { return Err(cut(size, 64)) };
    if (*class, *order) != (elf::ELFCLASS64, elf::ELFDATA2LSB) {
        return Err(not_elf("an ELF file that is not 64-bit little-endian".to_owned()));
    }
    let header: &FileHeader64<LittleEndian> = FileHeader64::parse(data).map_err(|_| cut(size, 64))?;
    let machine = header.e_machine(LittleEndian);
    if machine != MACHINE.0 {
        let help = format!("build it for this machine ({}), not for another one", MACHINE.1);
        return Err(Finding::new(format!("an ELF file for {}", machine_name(machine)), library, help));
    }
    match header.e_type(LittleEndian) {
        elf::ET_DYN => Ok(header),
        elf::ET_EXEC => Err(not_elf("an ELF executable".to_owned())),
        elf::ET_REL => Err(not_elf("an ELF object file".to_owned())),
        other => Err(not_elf(format!("an ELF file of type {other}"))),
    }
}

fn machine_name(machine: u16) -> String {
    match machine {
        elf::EM_X86_64 => "x86_64".to_owned(),
        elf::EM_AARCH64 => "aarch64".to_owned(),
        elf::EM_RISCV => "riscv".to_owned(),
        other => format!("machine number {other}"),
    }
}

/// Every LOAD segment and the table of sections, which linkers write last, must lie inside the file.
fn check_whole<'d>(header: &FileHeader64<LittleEndian>, data: impl ReadRef<'d>) -> Result<(), Finding> {
    let size = data.len().unwrap_or(0);
    let table = u64::from(header.e_shnum(LittleEndian)) * u64::from(header.e_shentsize(LittleEndian));
    let sections_end = header.e_shoff(LittleEndian).saturating_add(table);
    let segments = header.program_headers(LittleEndian, data).map_err(|_| cut(size, sections_end))?;
    let loads = segments.iter().filter(|segment| segment.p_type(LittleEndian) == elf::PT_LOAD);
    let ends = loads.map(|load| load.p_offset(LittleEndian).saturating_add(load.p_filesz(LittleEndian)));
    let end = ends.chain([sections_end]).max().unwrap_or(0);
    if end > size { Err(cut(size, end)) } else { Ok(()) }
}

fn cut(size: u64, needed: u64) -> Finding {
    Finding::new(
        format!("{size} bytes of a library"),
        format!("at least {needed} bytes"),
        "the file is cut or still being copied: copy it again, best to a hidden name that is then renamed",
    )
}

fn metadata<'d>(header: &FileHeader64<LittleEndian>, data: impl ReadRef<'d>) -> Result<Metadata, Finding> {
    let no_plugin = |found: String| {
        Finding::new(
            found,
            format!("a library with a '{SECTION}' section that export_scorers! or AUTOSCORER_METADATA wrote"),
            "call export_scorers!(MyScorer) in the crate and build it as a cdylib, as custom_scorers/template does; in C, \
             do as custom_scorers/c does",
        )
    };
    let unreadable = |error: object::read::Error| no_plugin(format!("sections that cannot be read: {error}"));
    let sections = header.sections(LittleEndian, data).map_err(unreadable)?;
    let Some((_, section)) = sections.section_by_name(LittleEndian, SECTION.as_bytes()) else {
        return Err(no_plugin(format!("a library without a '{SECTION}' section")));
    };
    let size = section.sh_size(LittleEndian);
    if size > MAX_METADATA {
        return Err(no_plugin(format!("metadata of {size} bytes")));
    }
    let bytes = section.data(LittleEndian, data).map_err(unreadable)?;
    Metadata::parse(bytes).map_err(no_plugin)
}

/// Whether a library was made for this host.
pub fn check_host(metadata: &Metadata) -> Result<(), Finding> {
    let host = ApiVersion::current();
    if !host.accepts(metadata.api) {
        let with = match metadata.abi {
            Abi::Rust => "autoscorer-plugin-api",
            Abi::C => "the autoscorer_plugin.h of API",
        };
        return Err(Finding::new(
            format!("a library built against API {}", metadata.api),
            format!("API {}.x (this host has {host})", host.major),
            format!("rebuild it with {with} {}.{}", host.major, host.minor),
        ));
    }
    Ok(())
}
