// Bytecode beside the sources in the archives of a folder, made by Pyodide itself:  node compile.mjs PYODIDE FOLDER
const [pyodide, folder] = process.argv.slice(2);
const {loadPyodide} = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide();
python.FS.mkdir("/archives");
python.FS.mount(python.FS.filesystems.NODEFS, {root: folder}, "/archives");
python.runPython(`
import glob, py_compile, warnings, zipfile
from importlib.util import cache_from_source

warnings.simplefilter("ignore")  # they are of other people's sources
for archive in glob.glob("/archives/*.whl") + glob.glob("/archives/*.zip"):
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_DEFLATED) as packed:
        for name in [name for name in packed.namelist() if name.endswith(".py")]:
            with open("/source.py", "wb") as source:
                source.write(packed.read(name))
            # Unchecked: the date that a source gets when it is unpacked says nothing.
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
            made = py_compile.compile("/source.py", "/bytecode", name, doraise=True, invalidation_mode=mode)
            # A wheel is unpacked; the standard library stays in its zip, where Python looks beside the source.
            place = cache_from_source(name) if archive.endswith(".whl") else name + "c"
            with open(made, "rb") as bytecode:  # without a date, so that the same sources give the same archive
                packed.writestr(zipfile.ZipInfo(place), bytecode.read(), zipfile.ZIP_DEFLATED)
`);
process.exit();
