"""For teachers: grade a class's notebooks without running strangers' code in one's own Python.

``python -m mcmteach grade SUBMISSIONS/`` needs the extra ``classroom``. A submission meets three processes:

* ``grade.py`` finds the submissions, starts a worker for each, keeps the marks and writes the table;
* ``autograde.py``, the worker, is nbgrader's autograde with one step exchanged: it never executes a cell of the submission.
  It runs the teacher's own test cells, and where those call the student's function, ``remote.py`` passes the call on;
* ``student.py`` runs the submission, inside the ``sandbox.py``, and answers such calls with plain numbers.

So what decides about a mark (references, hidden tests, the comparison) is never in the process that the submission can
reach, and not even on the disk that it can see.
"""
