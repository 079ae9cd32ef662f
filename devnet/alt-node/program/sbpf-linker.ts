/**
 * Static linker from one object file to an sBPF version 0 program for the chain's loader: code and constants get addresses, internal calls
 * get offsets, and runtime calls remain symbols that the loader resolves.
 */
import {
  ELF_MACHINE_BPF,
  readRelocatableObject,
  RELOCATION_BYTES,
  SECTION_FLAG,
  SECTION_HEADER_BYTES,
  SECTION_TYPE,
  SYMBOL_BYTES,
} from './relocatable-object.ts';
import type { ObjectRelocation, ObjectSection, RelocatableObject } from './relocatable-object.ts';

/** Code and constants at their file offsets; in memory they start at `PROGRAM_ADDRESS`. */
interface Image {
  readonly bytes: Buffer;
  readonly textEnd: number;
  readonly constantsAt: number;
  /** First byte of each placed section, by its index. */
  readonly placeOf: ReadonlyMap<number, number>;
}

interface RuntimeCalls {
  /** In the order of their first call. */
  readonly names: readonly string[];
  /** Offset of each call and the symbol that it calls. */
  readonly calls: readonly { readonly at: number; readonly name: number }[];
}

interface OutputSection {
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly at: number;
  readonly bytes: number;
  readonly link?: number;
  readonly info?: number;
  readonly align: number;
  readonly entryBytes?: number;
}

const PROGRAM_ADDRESS = 0x1_0000_0000n;
const ELF_HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
const PROGRAM_HEADERS = 3;
const TEXT_AT = ELF_HEADER_BYTES + PROGRAM_HEADERS * PROGRAM_HEADER_BYTES;
const INSTRUCTION_BYTES = 8;

/** Relocations of BPF: the two halves of a wide constant, a word of data, a call. */
const RELOCATION = { wide: 1, word: 2, call: 10 } as const;
const DYNAMIC_TAG = {
  strtab: 5,
  symtab: 6,
  strsz: 10,
  syment: 11,
  rel: 17,
  relsz: 18,
  relent: 19,
  flags: 0x1e,
} as const;
const DYNAMIC_FLAG_TEXTREL = 4;

/** Links an object file. Throws for writable data, undefined constants and a missing `entrypoint`. */
export function linkProgram(object: Buffer): Buffer {
  const parsed = readRelocatableObject(object);
  const image = placeSections(parsed.sections);
  const runtime = relocate(image, parsed);
  const entry = parsed.symbols.find(({ name }) => name === 'entrypoint');
  const entryAt = entry && image.placeOf.get(entry.section);
  if (entry === undefined || entryAt === undefined) throw new Error('no entrypoint');
  return writeProgram(image, runtime, entryAt + entry.value);
}

function placeSections(sections: readonly ObjectSection[]): Image {
  const filled = sections.filter(({ bytes, flags }) => (flags & SECTION_FLAG.alloc) !== 0 && bytes.length > 0);
  const writable = sections.find(
    ({ flags, type }) => (flags & SECTION_FLAG.write) !== 0 || type === SECTION_TYPE.nobits,
  );
  if (writable !== undefined) throw new Error(`writable data: ${writable.name}`);
  const isProgram = ({ type }: ObjectSection) => type === SECTION_TYPE.progbits;
  const text = filled.filter((section) => isProgram(section) && (section.flags & SECTION_FLAG.execute) !== 0);
  const constants = filled.filter((section) => isProgram(section) && (section.flags & SECTION_FLAG.execute) === 0);
  const placeOf = new Map<number, number>();
  let end = TEXT_AT;
  function place({ index, align, bytes }: ObjectSection, least: number): void {
    const at = roundUp(end, Math.max(align, least));
    placeOf.set(index, at);
    end = at + bytes.length;
  }
  for (const section of text) place(section, INSTRUCTION_BYTES);
  const textEnd = end;
  end = roundUp(end, 16);
  const constantsAt = end;
  for (const section of constants) place(section, 1);
  const bytes = Buffer.alloc(end);
  for (const section of [...text, ...constants]) section.bytes.copy(bytes, placeOf.get(section.index));
  return { bytes, textEnd, constantsAt, placeOf };
}

/** Writes addresses and offsets into the image; the loader resolves calls of undefined symbols. */
function relocate({ bytes, placeOf }: Image, { relocations }: RelocatableObject): RuntimeCalls {
  const names: string[] = [];
  const calls: { at: number; name: number }[] = [];
  for (const relocation of relocations) {
    const section = placeOf.get(relocation.section);
    if (section === undefined) continue; // of debug information
    const at = section + relocation.offset;
    const target = placeOf.get(relocation.symbol.section);
    if (target !== undefined) {
      writeTarget(bytes, at, relocation, target);
    } else if (relocation.type === RELOCATION.call) {
      const { name } = relocation.symbol;
      if (!names.includes(name)) names.push(name);
      bytes.writeInt32LE(-1, at + 4);
      calls.push({ at, name: names.indexOf(name) });
    } else {
      throw new Error(`undefined symbol: ${relocation.symbol.name}`);
    }
  }
  return { names, calls };
}

/** Applies one relocation; `target` is the start of the symbol's section. */
function writeTarget(bytes: Buffer, at: number, { type, symbol }: ObjectRelocation, target: number): void {
  const address = PROGRAM_ADDRESS + BigInt(target + symbol.value);
  if (type === RELOCATION.wide) {
    const low = BigInt(bytes.readUInt32LE(at + 4));
    const sum = address + ((BigInt(bytes.readUInt32LE(at + 12)) << 32n) | low);
    bytes.writeUInt32LE(Number(sum & 0xffff_ffffn), at + 4);
    bytes.writeUInt32LE(Number(sum >> 32n), at + 12);
  } else if (type === RELOCATION.word) {
    bytes.writeBigUInt64LE(address + bytes.readBigUInt64LE(at), at);
  } else if (type === RELOCATION.call) {
    const inside = symbol.isSection ? (bytes.readInt32LE(at + 4) + 1) * INSTRUCTION_BYTES : symbol.value;
    bytes.writeInt32LE((target + inside - at) / INSTRUCTION_BYTES - 1, at + 4);
  } else {
    throw new Error(`unsupported relocation type ${type}: ${symbol.name}`);
  }
}

function writeProgram(image: Image, runtime: RuntimeCalls, entryAt: number): Buffer {
  const strings = writeStrings(runtime.names);
  const symbols = writeSymbols(runtime.names);
  const relocations = writeRuntimeCalls(runtime.calls);
  const dynamicAt = roundUp(image.bytes.length, 8);
  const symbolsAt = dynamicAt + dynamicBytes(relocations);
  const stringsAt = symbolsAt + symbols.length;
  const relocationsAt = roundUp(stringsAt + strings.length, 8);
  const end = relocationsAt + relocations.length;
  const dynamic = writeDynamic({ symbolsAt, stringsAt, strings, relocationsAt, relocations });

  const table: OutputSection[] = [
    { name: '', type: 0, flags: 0, at: 0, bytes: 0, align: 0 },
    section('.text', SECTION_TYPE.progbits, TEXT_AT, image.textEnd - TEXT_AT, 8),
  ];
  const constants = image.bytes.length - image.constantsAt;
  if (constants > 0) table.push(section('.rodata', SECTION_TYPE.progbits, image.constantsAt, constants, 16));
  const first = table.length; // .dynamic, then .dynsym, then .dynstr
  table.push(
    { ...section('.dynamic', SECTION_TYPE.dynamic, dynamicAt, dynamic.length, 8), link: first + 2, entryBytes: 16 },
    {
      ...section('.dynsym', SECTION_TYPE.dynsym, symbolsAt, symbols.length, 8),
      ...{ link: first + 2, info: 1, entryBytes: SYMBOL_BYTES },
    },
    section('.dynstr', SECTION_TYPE.strtab, stringsAt, strings.length, 1),
  );
  if (relocations.length > 0) {
    table.push({
      ...section('.rel.dyn', SECTION_TYPE.rel, relocationsAt, relocations.length, 8),
      ...{ link: first + 1, entryBytes: RELOCATION_BYTES },
    });
  }
  const names = writeStrings([...table.slice(1).map(({ name }) => name), '.shstrtab']);
  table.push({ name: '.shstrtab', type: SECTION_TYPE.strtab, flags: 0, at: end, bytes: names.length, align: 1 });
  const tableAt = roundUp(end + names.length, 8);

  const file = Buffer.alloc(tableAt + SECTION_HEADER_BYTES * table.length);
  image.bytes.copy(file, 0);
  dynamic.copy(file, dynamicAt);
  symbols.copy(file, symbolsAt);
  strings.copy(file, stringsAt);
  relocations.copy(file, relocationsAt);
  names.copy(file, end);
  writeElfHeader(file, entryAt, tableAt, table.length);
  const [load, dynamicSegment, readable, executable] = [1, 2, 4, 5];
  writeProgramHeader(file, 0, load, executable, TEXT_AT, image.textEnd - TEXT_AT);
  writeProgramHeader(file, 1, load, readable, image.constantsAt, end - image.constantsAt);
  writeProgramHeader(file, 2, dynamicSegment, readable | 2, dynamicAt, dynamic.length);
  writeSectionTable(file, tableAt, table);
  return file;
}

function section(name: string, type: number, at: number, bytes: number, align: number): OutputSection {
  const execute = name === '.text' ? SECTION_FLAG.execute : 0;
  const write = name === '.dynamic' ? SECTION_FLAG.write : 0;
  return { name, type, flags: SECTION_FLAG.alloc | execute | write, at, bytes, align };
}

function writeStrings(names: readonly string[]): Buffer {
  return Buffer.from(['', ...names, ''].join('\0'), 'latin1');
}

function writeSymbols(names: readonly string[]): Buffer {
  const GLOBAL = 0x10;
  const bytes = Buffer.alloc(SYMBOL_BYTES * (names.length + 1));
  let nameAt = 1;
  for (const [index, name] of names.entries()) {
    const at = SYMBOL_BYTES * (index + 1);
    bytes.writeUInt32LE(nameAt, at);
    bytes[at + 4] = GLOBAL;
    nameAt += name.length + 1;
  }
  return bytes;
}

function writeRuntimeCalls(calls: RuntimeCalls['calls']): Buffer {
  const bytes = Buffer.alloc(RELOCATION_BYTES * calls.length);
  for (const [index, { at, name }] of calls.entries()) {
    bytes.writeBigUInt64LE(BigInt(at), RELOCATION_BYTES * index);
    bytes.writeUInt32LE(RELOCATION.call, RELOCATION_BYTES * index + 8);
    bytes.writeUInt32LE(name + 1, RELOCATION_BYTES * index + 12);
  }
  return bytes;
}

/** Six entries, three more with relocations, and the empty one that ends them. */
function dynamicBytes(relocations: Buffer): number {
  return 16 * (relocations.length > 0 ? 9 : 6);
}

function writeDynamic(parts: {
  readonly symbolsAt: number;
  readonly stringsAt: number;
  readonly strings: Buffer;
  readonly relocationsAt: number;
  readonly relocations: Buffer;
}): Buffer {
  const { symbolsAt, stringsAt, strings, relocationsAt, relocations } = parts;
  const entries: (readonly [tag: number, value: number])[] = [
    [DYNAMIC_TAG.flags, DYNAMIC_FLAG_TEXTREL],
    ...(relocations.length === 0
      ? []
      : ([
          [DYNAMIC_TAG.rel, relocationsAt],
          [DYNAMIC_TAG.relsz, relocations.length],
          [DYNAMIC_TAG.relent, RELOCATION_BYTES],
        ] as const)),
    [DYNAMIC_TAG.symtab, symbolsAt],
    [DYNAMIC_TAG.syment, SYMBOL_BYTES],
    [DYNAMIC_TAG.strtab, stringsAt],
    [DYNAMIC_TAG.strsz, strings.length],
  ];
  const bytes = Buffer.alloc(dynamicBytes(relocations));
  for (const [index, [tag, value]] of entries.entries()) {
    bytes.writeBigUInt64LE(BigInt(tag), 16 * index);
    bytes.writeBigUInt64LE(BigInt(value), 16 * index + 8);
  }
  return bytes;
}

function writeElfHeader(file: Buffer, entryAt: number, tableAt: number, sections: number): void {
  const SHARED_OBJECT = 3;
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]);
  file.writeUInt16LE(SHARED_OBJECT, 16);
  file.writeUInt16LE(ELF_MACHINE_BPF, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(entryAt), 24);
  file.writeBigUInt64LE(BigInt(ELF_HEADER_BYTES), 32);
  file.writeBigUInt64LE(BigInt(tableAt), 40);
  file.writeUInt16LE(ELF_HEADER_BYTES, 52);
  file.writeUInt16LE(PROGRAM_HEADER_BYTES, 54);
  file.writeUInt16LE(PROGRAM_HEADERS, 56);
  file.writeUInt16LE(SECTION_HEADER_BYTES, 58);
  file.writeUInt16LE(sections, 60);
  file.writeUInt16LE(sections - 1, 62);
}

function writeProgramHeader(file: Buffer, index: number, type: number, flags: number, at: number, bytes: number): void {
  const start = ELF_HEADER_BYTES + PROGRAM_HEADER_BYTES * index;
  file.writeUInt32LE(type, start);
  file.writeUInt32LE(flags, start + 4);
  for (const offset of [8, 16, 24]) file.writeBigUInt64LE(BigInt(at), start + offset);
  for (const offset of [32, 40]) file.writeBigUInt64LE(BigInt(bytes), start + offset);
  file.writeBigUInt64LE(8n, start + 48);
}

function writeSectionTable(file: Buffer, tableAt: number, table: readonly OutputSection[]): void {
  let nameAt = 0;
  for (const [index, each] of table.entries()) {
    const start = tableAt + SECTION_HEADER_BYTES * index;
    const address = (each.flags & SECTION_FLAG.alloc) === 0 ? 0 : each.at;
    file.writeUInt32LE(nameAt, start);
    file.writeUInt32LE(each.type, start + 4);
    file.writeBigUInt64LE(BigInt(each.flags), start + 8);
    file.writeBigUInt64LE(BigInt(address), start + 16);
    file.writeBigUInt64LE(BigInt(each.at), start + 24);
    file.writeBigUInt64LE(BigInt(each.bytes), start + 32);
    file.writeUInt32LE(each.link ?? 0, start + 40);
    file.writeUInt32LE(each.info ?? 0, start + 44);
    file.writeBigUInt64LE(BigInt(each.align), start + 48);
    file.writeBigUInt64LE(BigInt(each.entryBytes ?? 0), start + 56);
    nameAt += each.name.length + 1;
  }
}

function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
