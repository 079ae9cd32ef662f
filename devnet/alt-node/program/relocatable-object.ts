/** Parser for BPF object files from clang: sections, symbols and relocations of a relocatable ELF64, little-endian. */

export interface ObjectSection {
  readonly index: number;
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly align: number;
  readonly bytes: Buffer;
  /** For a relocation section: the section that it modifies. */
  readonly info: number;
  readonly link: number;
}

export interface ObjectSymbol {
  readonly name: string;
  /** 0: defined in another file. */
  readonly section: number;
  readonly value: number;
  /** Symbol that represents its whole section. */
  readonly isSection: boolean;
}

export interface ObjectRelocation {
  readonly section: number;
  readonly offset: number;
  readonly type: number;
  readonly symbol: ObjectSymbol;
}

export interface RelocatableObject {
  readonly sections: readonly ObjectSection[];
  readonly symbols: readonly ObjectSymbol[];
  readonly relocations: readonly ObjectRelocation[];
}

export const SECTION_TYPE = { progbits: 1, symtab: 2, strtab: 3, dynamic: 6, nobits: 8, rel: 9, dynsym: 11 } as const;
export const SECTION_FLAG = { write: 1, alloc: 2, execute: 4 } as const;
export const SECTION_HEADER_BYTES = 64;
export const SYMBOL_BYTES = 24;
export const RELOCATION_BYTES = 16;
export const ELF_MACHINE_BPF = 247;

const ELF_MAGIC = 0x7f454c46;
const ELF_RELOCATABLE = 1;
const SYMBOL_TYPE_SECTION = 3;

/** Parses an object file. Throws for any other file. */
export function readRelocatableObject(file: Buffer): RelocatableObject {
  if (
    file.readUInt32BE(0) !== ELF_MAGIC ||
    file.readUInt16LE(16) !== ELF_RELOCATABLE ||
    file.readUInt16LE(18) !== ELF_MACHINE_BPF
  ) {
    throw new Error('not a relocatable BPF object');
  }
  const sections = readSections(file);
  const symtab = sections.find(({ type }) => type === SECTION_TYPE.symtab);
  if (symtab === undefined) throw new Error('no symbols');
  const symbols = readSymbols(symtab, sections[symtab.link]!.bytes);
  const relocations = sections
    .filter(({ type }) => type === SECTION_TYPE.rel)
    .flatMap((section) => readRelocations(section, symbols));
  return { sections, symbols, relocations };
}

function readSections(file: Buffer): ObjectSection[] {
  const start = readU64(file, 40);
  const count = file.readUInt16LE(60);
  const namesAt = start + file.readUInt16LE(62) * SECTION_HEADER_BYTES;
  const names = sliceSection(file, namesAt);
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * SECTION_HEADER_BYTES;
    return {
      index,
      name: readText(names, file.readUInt32LE(at)),
      type: file.readUInt32LE(at + 4),
      flags: readU64(file, at + 8),
      link: file.readUInt32LE(at + 40),
      info: file.readUInt32LE(at + 44),
      align: Math.max(1, readU64(file, at + 48)),
      bytes: sliceSection(file, at),
    };
  });
}

/** Returns the bytes of the section whose header is at `at`. */
function sliceSection(file: Buffer, at: number): Buffer {
  const offset = readU64(file, at + 24);
  const isWithoutBytes = file.readUInt32LE(at + 4) === SECTION_TYPE.nobits;
  return file.subarray(offset, offset + (isWithoutBytes ? 0 : readU64(file, at + 32)));
}

function readSymbols({ bytes }: ObjectSection, names: Buffer): ObjectSymbol[] {
  return Array.from({ length: bytes.length / SYMBOL_BYTES }, (_, index) => {
    const at = index * SYMBOL_BYTES;
    return {
      name: readText(names, bytes.readUInt32LE(at)),
      isSection: (bytes[at + 4]! & 15) === SYMBOL_TYPE_SECTION,
      section: bytes.readUInt16LE(at + 6),
      value: readU64(bytes, at + 8),
    };
  });
}

function readRelocations({ bytes, info }: ObjectSection, symbols: readonly ObjectSymbol[]): ObjectRelocation[] {
  return Array.from({ length: bytes.length / RELOCATION_BYTES }, (_, index) => {
    const at = index * RELOCATION_BYTES;
    return {
      section: info,
      offset: readU64(bytes, at),
      type: bytes.readUInt32LE(at + 8),
      symbol: symbols[bytes.readUInt32LE(at + 12)]!,
    };
  });
}

function readU64(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}

function readText(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, bytes.indexOf(0, at));
}
