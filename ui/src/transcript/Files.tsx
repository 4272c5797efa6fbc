// The files of an answer: what each is, and the ways to it. A browser cannot open them; there the path can be copied.
import { FileAudio, FileImage, FileText, FileVideo, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { asCallError, type Desktop } from "../bridge/bridge";
import type { AnswerFile, Item } from "../bridge/wire";
import { useBridge } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { CopyButton } from "../shared/CopyButton";
import { size } from "../shared/format";

const ICONS = { image: FileImage, audio: FileAudio, video: FileVideo, document: FileText };

/** The files of one answer, each a row of its own. */
export function Files({ item, files }: { item: Item; files: AnswerFile[] }) {
  const t = useText();
  return (
    <ul className="files" aria-label={t("files")}>
      {files.map((file) => (
        <li key={file.path} className={file.refused == null ? "file" : "file file-refused"} title={file.path}>
          {file.refused == null ? <Offered itemId={item.itemId} file={file} /> : <Refused file={file} why={file.refused} />}
        </li>
      ))}
    </ul>
  );
}

function Offered({ itemId, file }: { itemId: string; file: AnswerFile }) {
  const t = useText();
  const { desktop } = useBridge();
  const Icon = ICONS[file.kind as keyof typeof ICONS] ?? FileText;
  return (
    <>
      <Icon className="file-icon" strokeWidth={1.5} aria-hidden />
      <span className="file-name cut">{file.name}</span>
      <span className="t2 small num">{size(file.bytes)}</span>
      {desktop === null ? <CopyButton text={file.path} label={t("file-copy")} /> : <Ways desktop={desktop} itemId={itemId} file={file} />}
    </>
  );
}

/** Open and Show in folder; why it did not work stands where it was pressed. */
function Ways({ desktop, itemId, file }: { desktop: Desktop; itemId: string; file: AnswerFile }) {
  const t = useText();
  const [error, setError] = useState<string | null>(null);
  const open = (inFolder: boolean) => {
    setError(null);
    desktop.openFile({ itemId, path: file.path, inFolder }).catch((reason: unknown) => setError(asCallError(reason).message));
  };
  return (
    <>
      <button type="button" className="btn sm" aria-label={t("file-open-of", { name: file.name })} onClick={() => open(false)}>
        {t("file-open")}
      </button>
      <button type="button" className="btn sm ghost" aria-label={t("file-folder-of", { name: file.name })} onClick={() => open(true)}>
        {t("file-folder")}
      </button>
      {error === null ? null : (
        <p className="file-error small" role="alert">
          {error}
        </p>
      )}
    </>
  );
}

function Refused({ file, why }: { file: AnswerFile; why: string }) {
  const t = useText();
  return (
    <>
      <TriangleAlert className="file-icon" strokeWidth={1.5} aria-hidden />
      <span className="small">{t("file-refused", { name: file.name, why })}</span>
    </>
  );
}
